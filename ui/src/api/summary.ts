// The verdicts and headline figures of the server, as the pages use them: one verdict per model, and the same
// figures as in the report. See docs/rest-api.md, "Compression".
export interface SummaryAnswer {
  snapshot: number;
  policy: string;
  a: string;
  b: string;
  quality: string;
  headlines: { names: string[]; figures: string[]; units: string[]; notes: string[]; models: string[] };
  counts: { fail: number; watch: number; pass: number; incomplete: number; not_checked: number };
  models: string[];
  states: string[];
  texts: string[];
  fails: string[][];
  not_measured: string[][];
  layers: { red: number[]; amber: number[]; green: number[]; unmeasured: number[]; worst: string[]; not_measured: string[] };
  gates: { models: number[]; metrics: string[]; rules: string[]; outcomes: string[]; texts: string[] };
}

export type VerdictState = "fail" | "watch" | "pass" | "incomplete" | "not_checked";

export interface CheckedGate {
  readonly metric: string;
  /** "drop ≤ 1 pp", "ratio ≥ 3×". */
  readonly rule: string;
  readonly outcome: "pass" | "fail" | "missing";
  /** What was measured: "0.27 pp", "3.96×"; empty when it was not. */
  readonly measured: string;
}

export interface Verdict {
  readonly state: VerdictState;
  /** All of it in one line. */
  readonly text: string;
  readonly fails: readonly string[];
  readonly notMeasured: readonly string[];
  readonly gates: readonly CheckedGate[];
  readonly layers: { readonly red: number; readonly amber: number; readonly green: number; readonly unmeasured: number; readonly notMeasured: string };
}

export interface Headline {
  readonly name: string;
  readonly figure: string;
  readonly unit: string;
  readonly note: string;
  /** Whose figure it is; empty for those of all models. */
  readonly model: string;
}

export interface Summary {
  readonly a: string;
  readonly b: string;
  /** The key of the metric that says how good models are; empty without one. */
  readonly quality: string;
  readonly headlines: readonly Headline[];
  readonly counts: SummaryAnswer["counts"];
  readonly verdicts: ReadonlyMap<string, Verdict>;
}

const STATES: readonly string[] = ["fail", "watch", "pass", "incomplete", "not_checked"] satisfies VerdictState[];
const OUTCOMES: readonly string[] = ["pass", "fail", "missing"] satisfies CheckedGate["outcome"][];

/** What is said of a model that the server knows nothing of: never good news. */
export const NOT_CHECKED: Verdict = {
  state: "not_checked", text: "not checked", fails: [], notMeasured: [], gates: [], layers: { red: 0, amber: 0, green: 0, unmeasured: 0, notMeasured: "" },
};

export function readSummary(answer: SummaryAnswer): Summary {
  const verdicts = new Map(answer.models.map((name, i): [string, Verdict] => {
    const state = answer.states[i] ?? "";
    return [name, {
      state: STATES.includes(state) ? (state as VerdictState) : "not_checked",
      text: answer.texts[i] ?? NOT_CHECKED.text,
      fails: answer.fails[i] ?? [],
      notMeasured: answer.not_measured[i] ?? [],
      gates: answer.gates.models.flatMap((model, g): CheckedGate[] => (model !== i ? [] : [{
        metric: answer.gates.metrics[g] ?? "",
        rule: answer.gates.rules[g] ?? "",
        outcome: OUTCOMES.includes(answer.gates.outcomes[g] ?? "") ? (answer.gates.outcomes[g] as CheckedGate["outcome"]) : "missing",
        measured: answer.gates.texts[g] ?? "",
      }])),
      layers: {
        red: answer.layers.red[i] ?? 0, amber: answer.layers.amber[i] ?? 0, green: answer.layers.green[i] ?? 0,
        unmeasured: answer.layers.unmeasured[i] ?? 0, notMeasured: answer.layers.not_measured[i] ?? "",
      },
    }];
  }));
  const { headlines } = answer;
  return {
    a: answer.a,
    b: answer.b,
    quality: answer.quality,
    headlines: headlines.names.map((name, i) => ({
      name, figure: headlines.figures[i] ?? "", unit: headlines.units[i] ?? "", note: headlines.notes[i] ?? "", model: headlines.models[i] ?? "",
    })),
    counts: answer.counts,
    verdicts,
  };
}

/** The class of a verdict: only what was checked and is good is green. */
export function toneOfVerdict(state: VerdictState): "good" | "warn" | "bad" | "open" {
  return state === "pass" ? "good" : state === "watch" ? "warn" : state === "fail" ? "bad" : "open";
}

/** What a cell has room for; the whole text stands beside it. */
export function shortVerdict({ state, fails, text }: Verdict): string {
  if (state === "fail") return [...new Set(fails)].join(", ");
  return { pass: "pass", watch: "pass, to watch", incomplete: "not fully checked", not_checked: "not checked" }[state] || text;
}
