// Requests histograms from the server and converts them to numbers.
import { barsShape, distributionsShape, loggedBinsShape, overlayShape } from "../../api/histograms";
import { type WireNumber, toNumber } from "../../api/shape";
import { getJson, postJson } from "../../api/client";

const numbers = (rows: readonly (readonly WireNumber[])[]): number[][] => rows.map((row) => row.map(toNumber));

/** One histogram per step. All histograms have the same bars of equal width. */
export interface Bars {
  readonly steps: readonly number[];
  /** The edges of the bars, one more than bars; empty if nothing was counted. */
  readonly edges: readonly number[];
  /**
   * Counts by step and bar. The count of a logged bin is spread evenly over its width, so counts may have fractions.
   */
  readonly counts: readonly (readonly number[])[];
  /** The number of values of each step. It includes infinite values, although the chart does not show them. */
  readonly nums: readonly number[];
}

export async function loadBars(run: string, tag: string, limit: number, signal: AbortSignal): Promise<Bars> {
  const response = await getJson(barsShape, "histograms", { run, tag, limit, bins: "auto" }, signal);
  return {
    steps: response.steps,
    edges: response.edges.map(toNumber),
    counts: numbers(response.counts),
    nums: response.num.map(toNumber),
  };
}

/** One histogram per step, with the bins that were logged. */
export interface Steps {
  readonly steps: readonly number[];
  readonly lefts: readonly (readonly number[])[];
  readonly rights: readonly (readonly number[])[];
  readonly counts: readonly (readonly number[])[];
}

export async function loadSteps(run: string, tag: string, limit: number, signal?: AbortSignal): Promise<Steps> {
  const response = await getJson(loggedBinsShape, "histograms", { run, tag, limit }, signal);
  return {
    steps: response.steps,
    lefts: numbers(response.lefts),
    rights: numbers(response.rights),
    counts: numbers(response.counts),
  };
}

export interface Percentiles {
  readonly steps: readonly number[];
  /** The share of the values in a bar, in per cent. */
  readonly points: readonly number[];
  readonly rows: readonly (readonly number[])[];
}

export async function loadPercentiles(
  run: string,
  tag: string,
  limit: number,
  signal: AbortSignal,
): Promise<Percentiles> {
  const response = await getJson(distributionsShape, "distributions", { run, tag, limit }, signal);
  return {
    steps: response.steps,
    points: response.basis_points.map((point) => point / 100),
    rows: numbers(response.percentiles),
  };
}

export interface RunHistogram {
  readonly run: string;
  readonly step: number;
  readonly counts: readonly number[];
  readonly num: number;
  /** Statistics of the values (moments); null if they were not logged. */
  readonly moments: {
    readonly min: number;
    readonly max: number;
    readonly mean: number;
    readonly deviation: number;
  } | null;
}

/** One histogram per run. All histograms have the same bins. */
export interface Together {
  readonly edges: readonly number[];
  readonly runs: readonly RunHistogram[];
  readonly problems: readonly string[];
}

export async function loadTogether(
  runs: readonly string[],
  tag: string,
  step: number | null,
  range: readonly [number, number] | null,
  signal: AbortSignal,
): Promise<Together> {
  const body = {
    series: runs.map((run) => [run, tag, step]),
    nearest: 1,
    ...(range ? { from: range[0], to: range[1] } : {}),
  };
  const response = await postJson(overlayShape, "histograms/overlay", body, signal);
  return {
    edges: response.edges.map(toNumber),
    runs: response.series.flatMap((one) =>
      one.counts === undefined
        ? []
        : [
            {
              run: one.run,
              step: one.step ?? 0,
              counts: one.counts.map(toNumber),
              num: toNumber(one.num ?? null),
              moments:
                one.mean === undefined
                  ? null
                  : {
                      min: toNumber(one.min ?? null),
                      max: toNumber(one.max ?? null),
                      mean: toNumber(one.mean),
                      deviation: toNumber(one.deviation ?? null),
                    },
            },
          ],
    ),
    problems: response.series.flatMap((one) => (one.error ? [one.error.message] : [])),
  };
}
