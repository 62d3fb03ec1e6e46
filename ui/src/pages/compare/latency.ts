// Latency histograms of two variants with common bins. Pure functions.
import type { HistogramInput } from "../../charts/histogram/layout";
import { quantile } from "../../base/math/quantile";

/** The number of requested bins: enough that the part without the long tail still has many bins. */
export const BINS = 4096;

const SHOWN_BINS = 120;
const TAIL = 0.005; // The max share of the values of A or B that may be beyond the right end of the chart.
const LONG = 4; // The right end of the chart is also at most this factor times the 90th percentile.

export interface Latencies extends HistogramInput {
  /** The histogram without the slowest few values. With these values, nearly all others would be in one bin. */
  readonly shown: HistogramInput;
  /** The share of the values that is not shown: the larger one of A and B. */
  readonly beyond: number;
}

export function withoutTail(input: HistogramInput): Latencies {
  const { edges, a, b } = input;
  const sides = [a, b].filter((side) => side !== null);
  const reach = (share: number): number => Math.max(...sides.map((counts) => quantile(edges, counts, share)));
  const limit = Math.min(reach(1 - TAIL), LONG * reach(0.9));
  const first = edges.findIndex((_, i) => sides.some((counts) => (counts[i] ?? 0) > 0));
  const end = edges.findIndex((edge) => edge >= limit);
  const last = end < 0 ? edges.length - 1 : end;
  // Joins adjacent bins until the chart has at most SHOWN_BINS.
  const width = Math.max(1, Math.ceil((last - Math.max(0, first)) / SHOWN_BINS));
  const starts: number[] = [];
  for (let i = Math.max(0, first); i < last; i += width) starts.push(i);
  const joined = (counts: readonly number[] | null): number[] | null =>
    counts && starts.map((from) => counts.slice(from, from + width).reduce((sum, c) => sum + c, 0));
  const lost = (counts: readonly number[]): number => {
    const total = counts.reduce((sum, c) => sum + c, 0);
    return total > 0 ? counts.slice((starts.at(-1) ?? 0) + width).reduce((sum, c) => sum + c, 0) / total : 0;
  };
  const shown = {
    edges: [...starts.map((i) => edges[i] ?? 0), edges[Math.min(edges.length - 1, (starts.at(-1) ?? 0) + width)] ?? 0],
    a: joined(a),
    b: joined(b),
  };
  return { edges, a, b, shown, beyond: Math.max(0, ...sides.map(lost)) };
}
