// Sizes of layers in A and B as bars on one scale. Pure functions that convert the server's response to rows.
import type { BytesResponse } from "../../api/compression/panels";
import { type WireNumber, toNumber } from "../../api/shape";
import { bytes, percent } from "../../base/text/format";

export interface BytesRow {
  readonly name: string;
  readonly a: number | null;
  readonly b: number | null;
  /** The lengths of the bars as fractions of the longest bar, 0 to 1. */
  readonly barA: number;
  readonly barB: number;
}

export interface BytesTotal {
  readonly a: number;
  readonly b: number;
}

const known = (value: WireNumber | undefined): number | null => {
  const number = toNumber(value ?? null);
  return Number.isFinite(number) ? number : null;
};

/** The rows in the server's order: the largest saving first. */
export function readBytes(response: BytesResponse): { rows: BytesRow[]; total: BytesTotal } {
  const { names, a, b } = response.layers;
  const layers = names.map((name, i) => ({ name, a: known(a[i]), b: known(b[i]) }));
  const most = layers.reduce((longest, one) => Math.max(longest, one.a ?? 0, one.b ?? 0), 0) || 1;
  const sum = (side: "a" | "b"): number => layers.reduce((total, one) => total + (one[side] ?? 0), 0);
  return {
    rows: layers.map((one) => ({ ...one, barA: (one.a ?? 0) / most, barB: (one.b ?? 0) / most })),
    total: { a: sum("a"), b: sum("b") },
  };
}

/** The size change from A to B: "−75 %", "+3.1 %", "=". */
export function changeText(a: number | null, b: number | null): string {
  if (a === null) return "only in B";
  if (b === null) return "only in A";
  if (a === b) return "=";
  if (a === 0) return `+${bytes(b)}`;
  const change = b / a - 1;
  const text = percent(change, Math.abs(change) < 0.1 ? 1 : 0);
  return `${change > 0 ? "+" : ""}${text} %`;
}

/** The share of the total saving that the first rows have: "these 3 of 12 layers made 91 % of it". */
export function shareOfSaving(rows: readonly BytesRow[], total: BytesTotal, first: number): number | null {
  const saved = total.a - total.b;
  if (!(saved > 0)) return null;
  return rows.slice(0, first).reduce((sum, row) => sum + ((row.a ?? 0) - (row.b ?? 0)), 0) / saved;
}
