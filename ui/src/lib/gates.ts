// Limits a variant must keep against its baseline, and what it breaks.
import { fixed, ratio as ratioText } from "./format";

export interface Gate {
  /** The key of the metric: accuracy, model_size_mb, … */
  readonly metric: string;
  /** "drop": how much quality may be lost. "ratio": how many times better the variant must be. */
  readonly kind: "drop" | "ratio";
  readonly label: string;
  readonly limit: number;
}

export interface Policy {
  readonly name: string;
  readonly gates: readonly Gate[];
}

const drop = (limit: number): Gate => ({ metric: "accuracy", kind: "drop", label: "drop", limit });
const atLeast = (metric: string, label: string, limit: number): Gate => ({ metric, kind: "ratio", label, limit });

export const POLICIES: readonly Policy[] = [
  {
    name: "balanced",
    gates: [drop(0.01), atLeast("model_size_mb", "ratio", 3), atLeast("latency_mean_ms", "speedup", 1.2), atLeast("throughput", "speedup", 1.2)],
  },
  { name: "accuracy first", gates: [drop(0.005)] },
  { name: "smallest", gates: [drop(0.02), atLeast("model_size_mb", "ratio", 3.9)] },
];

export interface Verdict {
  readonly fails: readonly string[];
  readonly checked: number; // Gates for which both values were logged.
}

/** What was measured; a derived figure would be judged beside the one it was made from. */
export interface Values {
  measured(variant: string, metric: string): number | null;
}

/** Whether values are shares of one, to be shown in per cent. */
export function isFraction(metric: { readonly unit: string; readonly higherIsBetter: boolean | null }): boolean {
  return metric.unit === "" && metric.higherIsBetter === true;
}

/** Accuracy is a fraction, but many log per cent. */
export function asFraction(accuracy: number): number {
  return accuracy > 1.5 ? accuracy / 100 : accuracy;
}

/** How many times better `b` is than `a`; null without two positive numbers. */
export function gain(a: number | null, b: number | null, higherIsBetter: boolean): number | null {
  if (a === null || b === null || !(a > 0) || !(b > 0)) return null;
  return higherIsBetter ? b / a : a / b;
}

const HIGHER = new Set(["throughput", "accuracy"]);

export interface Checked {
  readonly gate: Gate;
  /** "drop ≤ 1 pp", "ratio ≥ 3×". */
  readonly rule: string;
  /** What was measured, "0.27 pp" or "3.96×"; null when a side was not logged. */
  readonly measured: string | null;
  readonly passes: boolean | null;
}

export function check(model: Values, a: string, b: string, gate: Gate): Checked {
  const [va, vb] = [model.measured(a, gate.metric), model.measured(b, gate.metric)];
  if (gate.kind === "drop") {
    const rule = `${gate.label} ≤ ${limitText(gate)}`;
    if (va === null || vb === null) return { gate, rule, measured: null, passes: null };
    const lost = asFraction(va) - asFraction(vb);
    return { gate, rule, measured: `${dropText(lost, gate.limit)} pp`, passes: lost <= gate.limit + SLACK };
  }
  const rule = `${gate.label} ≥ ${limitText(gate)}`;
  const times = gain(va, vb, HIGHER.has(gate.metric));
  return { gate, rule, measured: times === null ? null : ratioText(times), passes: times === null ? null : times >= gate.limit };
}

export function judge(model: Values, a: string, b: string, policy: Policy): Verdict {
  const checked = policy.gates.map((gate) => check(model, a, b, gate)).filter(({ passes }) => passes !== null);
  const fails = checked.filter(({ passes }) => passes === false).map(({ gate, measured }) => {
    const value = (measured ?? "").replace(/×| pp/, "");
    return `${gate.label} ${value} ${gate.kind === "drop" ? ">" : "<"} ${limitText(gate)}`;
  });
  return { fails, checked: checked.length };
}

function limitText(gate: Gate): string {
  return gate.kind === "drop" ? `${fixed(gate.limit * 100, gate.limit < 0.01 ? 1 : 0)} pp` : `${gate.limit}×`;
}

// Values are logged as floats: 0.90 less 0.89 is a hair more than 0.01.
const SLACK = 2e-7;

// As many digits as it takes not to read as the limit itself.
function dropText(lost: number, limit: number): string {
  if (Math.abs(lost - limit) < SLACK) return fixed(limit * 100, 2);
  for (const decimals of [2, 3, 4]) {
    const text = fixed(lost * 100, decimals);
    if (text !== fixed(limit * 100, decimals)) return text;
  }
  return fixed(lost * 100, 6);
}
