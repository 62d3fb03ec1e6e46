// The rows of the table that shows a histogram. Pure functions.
import { filledRange, type HistogramInput } from "./layout";

export interface BinRow {
  readonly from: number;
  readonly to: number;
  /** The share of the values in per cent; null if this variant has no histogram. */
  readonly a: number | null;
  readonly b: number | null;
}

const MAX_ROWS = 48; // The max number of rows; finer bins are joined, because people read tables line by line.

export function binRows({ edges, a, b }: HistogramInput, most = MAX_ROWS): BinRow[] {
  const range = filledRange(a, b);
  if (!range) return [];
  const width = Math.ceil((range[1] - range[0] + 1) / most);
  const total = (counts: readonly number[] | null): number => counts?.reduce((sum, count) => sum + count, 0) ?? 0;
  const [totalA, totalB] = [total(a), total(b)];
  const share = (counts: readonly number[] | null, all: number, from: number, to: number): number | null =>
    counts && all > 0 ? (total(counts.slice(from, to)) / all) * 100 : null;
  const rows: BinRow[] = [];
  for (let from = range[0]; from <= range[1]; from += width) {
    const to = Math.min(from + width, range[1] + 1);
    rows.push({
      from: edges[from] ?? 0,
      to: edges[to] ?? 0,
      a: share(a, totalA, from, to),
      b: share(b, totalB, from, to),
    });
  }
  return rows;
}
