// What the server tells of histograms, as numbers.
import { getJson, postJson } from "../../api/client";
import { toNumber, type WireNumber } from "../../api/wire";

const numbers = (rows: readonly WireNumber[][]): number[][] => rows.map((row) => row.map(toNumber));

/** A histogram per step, all in the same bars of equal width. */
export interface Bars {
  readonly steps: readonly number[];
  /** One more than bars; none where nothing was counted. */
  readonly edges: readonly number[];
  /** By step and bar. Bins that were logged are spread evenly over their width, so counts may have fractions. */
  readonly counts: readonly (readonly number[])[];
  /** All values of each step, also those that no axis can show because they are infinite. */
  readonly nums: readonly number[];
}

interface BarsAnswer {
  steps: number[];
  edges: WireNumber[];
  counts: WireNumber[][];
  num: WireNumber[];
}

export async function loadBars(run: string, tag: string, limit: number, signal: AbortSignal): Promise<Bars> {
  const answer = await getJson<BarsAnswer>("histograms", { run, tag, limit, bins: "auto" }, signal);
  return { steps: answer.steps, edges: answer.edges.map(toNumber), counts: numbers(answer.counts), nums: answer.num.map(toNumber) };
}

/** A histogram per step, with the bins that were logged. */
export interface Steps {
  readonly steps: readonly number[];
  readonly lefts: readonly (readonly number[])[];
  readonly rights: readonly (readonly number[])[];
  readonly counts: readonly (readonly number[])[];
}

interface StepsAnswer {
  steps: number[];
  lefts: WireNumber[][];
  rights: WireNumber[][];
  counts: WireNumber[][];
}

export async function loadSteps(run: string, tag: string, limit: number, signal?: AbortSignal): Promise<Steps> {
  const answer = await getJson<StepsAnswer>("histograms", { run, tag, limit }, signal);
  return { steps: answer.steps, lefts: numbers(answer.lefts), rights: numbers(answer.rights), counts: numbers(answer.counts) };
}

export interface Percentiles {
  readonly steps: readonly number[];
  /** In per cent of the values. */
  readonly points: readonly number[];
  readonly rows: readonly (readonly number[])[];
}

interface DistributionAnswer {
  steps: number[];
  basis_points: number[];
  percentiles: WireNumber[][];
}

export async function loadPercentiles(run: string, tag: string, limit: number, signal: AbortSignal): Promise<Percentiles> {
  const answer = await getJson<DistributionAnswer>("distributions", { run, tag, limit }, signal);
  return { steps: answer.steps, points: answer.basis_points.map((point) => point / 100), rows: numbers(answer.percentiles) };
}

export interface RunHistogram {
  readonly run: string;
  readonly step: number;
  readonly counts: readonly number[];
  readonly num: number;
  /** Null where they were not logged. */
  readonly moments: { readonly min: number; readonly max: number; readonly mean: number; readonly deviation: number } | null;
}

/** One histogram of each run, all in the same bins. */
export interface Together {
  readonly edges: readonly number[];
  readonly runs: readonly RunHistogram[];
  readonly problems: readonly string[];
}

interface OverlayAnswer {
  edges: WireNumber[];
  series: { run: string; step?: number; counts?: WireNumber[]; num?: WireNumber; min?: WireNumber; max?: WireNumber; mean?: WireNumber; deviation?: WireNumber; error?: { message: string } }[];
}

export async function loadTogether(runs: readonly string[], tag: string, step: number | null, range: readonly [number, number] | null, signal: AbortSignal): Promise<Together> {
  const body = { series: runs.map((run) => [run, tag, step]), nearest: 1, ...(range ? { from: range[0], to: range[1] } : {}) };
  const answer = await postJson<OverlayAnswer>("histograms/overlay", body, signal);
  return {
    edges: answer.edges.map(toNumber),
    runs: answer.series.flatMap((one) => (one.counts === undefined ? [] : [{
      run: one.run, step: one.step ?? 0, counts: one.counts.map(toNumber), num: toNumber(one.num ?? null),
      moments: one.mean === undefined ? null : { min: toNumber(one.min ?? null), max: toNumber(one.max ?? null), mean: toNumber(one.mean), deviation: toNumber(one.deviation ?? null) },
    }])),
    problems: answer.series.flatMap((one) => (one.error ? [one.error.message] : [])),
  };
}
