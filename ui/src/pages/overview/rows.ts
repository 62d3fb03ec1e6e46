// The rows of the overview, computed once for all its parts.
import type { Comparison, Metric, Model } from "../../api/compression/table";
import { NOT_CHECKED, type Score, type Summary, type Verdict } from "../../api/compression/summary";
import { asFraction, gain, isFraction } from "../../domain/models/gates";

export interface PairValue {
  readonly a: number | null;
  readonly b: number | null;
  readonly gain: number | null; // The ratio by which B is better than A.
  /** Whether the value of A or B is derived (computed from other metrics, not measured). */
  readonly derived?: boolean;
}

export interface Row {
  readonly model: Model;
  readonly name: string;
  readonly quality: PairValue;
  readonly drop: number | null; // The loss of quality from A to B as a fraction; positive is worse.
  readonly metrics: ReadonlyMap<string, PairValue>;
  readonly aurora: Score | null;
  readonly verdict: Verdict;
}

export interface OverviewData {
  readonly rows: readonly Row[];
  readonly quality: Metric;
  readonly qualityIsFraction: boolean;
  /** The resources that at least one model logged for both A and B; the default resources come first. */
  readonly resources: readonly Metric[];
  /** The metrics to choose from for the axes of the chart: quality, resources, then all other metrics of B. */
  readonly axes: readonly Metric[];
}

const RESOURCES = ["model_size_mb", "latency_mean_ms", "throughput", "memory_usage_mb", "energy_consumption_mw"];

function pairOf(model: Model, metric: Metric, a: string, b: string): PairValue {
  const [va, vb] = [model.value(a, metric.name), model.value(b, metric.name)];
  return {
    a: va,
    b: vb,
    gain: gain(va, vb, metric.higherIsBetter ?? false),
    derived: model.isDerived(metric.name, a, b),
  };
}

/** The data of the overview, with the quality metric that the server's summary names; null if none was logged. */
export function overviewOf(table: Comparison, a: string, b: string, summary: Summary): OverviewData | null {
  const quality = table.metrics.find((metric) => metric.name === summary.quality);
  if (!quality) return null;
  const qualityIsFraction = isFraction(quality);
  const others = table.metrics.filter((m) => m !== quality);
  const rows = table.models
    .map((model): Row => {
      const q = pairOf(model, quality, a, b);
      const metrics = new Map(others.map((m) => [m.name, pairOf(model, m, a, b)] as const));
      return {
        model,
        name: model.name,
        quality: q,
        drop: dropOf(q, quality, qualityIsFraction),
        metrics,
        aurora: summary.scores.get(model.name) ?? null,
        verdict: summary.verdicts.get(model.name) ?? NOT_CHECKED,
      };
    })
    .filter(
      (row) =>
        row.quality.a !== null ||
        row.quality.b !== null ||
        [...row.metrics.values()].some((p) => p.a !== null || p.b !== null),
    );
  const paired = (metric: Metric): boolean => rows.some((row) => row.metrics.get(metric.name)?.gain != null);
  const measured = (metric: Metric): number => rows.filter((row) => isMeasured(row.metrics.get(metric.name))).length;
  const usual = RESOURCES.map((name) => others.find((m) => m.name === name)).filter((m) => m !== undefined);
  // Latency and throughput measure the same property. The metric that more models have comes first.
  const isSpeed = (metric: Metric): boolean => metric.name === "latency_mean_ms" || metric.name === "throughput";
  const resources = usual.filter(paired).sort((p, q) => (isSpeed(p) && isSpeed(q) ? measured(q) - measured(p) : 0));
  const rest = others.filter((m) => !resources.includes(m) && rows.some((row) => row.metrics.get(m.name)?.b != null));
  return { rows, quality, qualityIsFraction, resources, axes: [quality, ...resources, ...rest] };
}

/** Whether both A and B were measured. */
export function isMeasured(pair: PairValue | undefined): boolean {
  return pair?.gain != null && !pair.derived;
}

/** The values of A and B for any metric, including quality. */
export function pairAt(row: Row, data: OverviewData, metric: Metric): PairValue | undefined {
  return metric === data.quality ? row.quality : row.metrics.get(metric.name);
}

/** A rectangle that the user selected in the chart, in the units of the axes. */
export interface Brush {
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
}

export function readBrush(text: string | null): Brush | null {
  const [x0, x1, y0, y1, ...more] = text?.split("~").map(Number) ?? [];
  const all = [x0, x1, y0, y1];
  if (more.length > 0 || !all.every((v): v is number => v !== undefined && Number.isFinite(v))) return null;
  return { x: [all[0]!, all[1]!], y: [all[2]!, all[3]!] };
}

export function brushText({ x, y }: Brush): string {
  return [...x, ...y].map((v) => Number(v.toPrecision(6))).join("~");
}

/**
 * The experiment with the most models. Models are ranked only within one experiment, because others may use different
 * data and machines.
 */
export function largestExperiment(models: readonly Model[]): string | null {
  const sizes = new Map<string, number>();
  for (const { experiment } of models) sizes.set(experiment, (sizes.get(experiment) ?? 0) + 1);
  return (
    [...sizes].reduce<[string, number] | null>((best, next) => (best && best[1] >= next[1] ? best : next), null)?.[0] ??
    null
  );
}

function dropOf(pair: PairValue, quality: Metric, inFractions: boolean): number | null {
  if (pair.a === null || pair.b === null) return null;
  const [a, b] = inFractions ? [asFraction(pair.a), asFraction(pair.b)] : [pair.a, pair.b];
  return quality.higherIsBetter === false ? b - a : a - b;
}

/** Whether A and B differ in at least one of the metrics that both have. */
export function differs(row: Row): boolean {
  return [row.quality, ...row.metrics.values()].some(({ a, b }) => a !== null && b !== null && a !== b);
}

export function median(values: readonly number[]): number | null {
  const sorted = values.filter(Number.isFinite).sort((x, y) => x - y);
  if (sorted.length === 0) return null;
  const [lo, hi] = [sorted[(sorted.length - 1) >> 1] ?? 0, sorted[sorted.length >> 1] ?? 0];
  return (lo + hi) / 2;
}

/** The rows sorted by a value; rows without it are last in both directions. */
export function sortRows(
  rows: readonly Row[],
  keyOf: (row: Row) => number | string | null,
  descending: boolean,
): Row[] {
  return [...rows].sort((p, q) => {
    const [kp, kq] = [keyOf(p), keyOf(q)];
    const [np, nq] = [kp === null || Number.isNaN(kp), kq === null || Number.isNaN(kq)];
    if (np || nq) return Number(np) - Number(nq);
    const order = typeof kp === "string" ? kp.localeCompare(String(kq)) : Number(kp) - Number(kq);
    return descending ? -order : order;
  });
}
