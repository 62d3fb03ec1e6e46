// The values of a chart as table rows: at the end, at a marked step, or over a marked range.
import { nearestIndex, type Line } from "../line/layout";

export interface ValueRow {
  readonly line: Line;
  /** The value at the marked place, or the last value; smoothed as drawn. */
  readonly value: number;
  readonly raw: number;
  readonly x: number;
  /** The values over a marked range; null if only a single place is marked. */
  readonly over: {
    readonly start: number;
    readonly end: number;
    readonly least: number;
    readonly greatest: number;
  } | null;
}

const rawAt = (line: Line, i: number): number => line.ys[i] ?? NaN;
const shownAt = (line: Line, i: number): number =>
  Number.isFinite(rawAt(line, i)) ? ((line.smooth ?? line.ys)[i] ?? NaN) : rawAt(line, i);

export function valueRows(lines: readonly Line[], fobs: readonly number[]): ValueRow[] {
  return lines
    .filter((line) => line.xs.length > 0)
    .map((line) => {
      const last = line.xs.length - 1;
      const [from, to] = [fobs[0], fobs[1]];
      const at = from === undefined ? last : nearestIndex(line.xs, to ?? from);
      const row = { line, value: shownAt(line, at), raw: rawAt(line, at), x: line.xs[at] ?? NaN };
      if (from === undefined || to === undefined) return { ...row, over: null };
      const first = nearestIndex(line.xs, from);
      let [least, greatest] = [Infinity, -Infinity];
      for (let i = first; i <= at; i += 1) {
        const y = rawAt(line, i);
        if (y < least) least = y;
        if (y > greatest) greatest = y;
      }
      return {
        ...row,
        over: {
          start: shownAt(line, first),
          end: row.value,
          least: least === Infinity ? NaN : least,
          greatest: greatest === -Infinity ? NaN : greatest,
        },
      };
    });
}

export type SortKey = "name" | "value" | "raw" | "x" | "start" | "end" | "change" | "least" | "greatest";

export function cellOf(row: ValueRow, key: SortKey): number | string {
  if (key === "name") return row.line.name;
  if (key === "value" || key === "raw" || key === "x") return row[key];
  if (!row.over) return NaN;
  return key === "change" ? row.over.end - row.over.start : row.over[key];
}

/** The rows, sorted by a column; rows with NaN are last in both directions. */
export function sortedRows(rows: readonly ValueRow[], key: SortKey | null, descending: boolean): ValueRow[] {
  if (key === null) return [...rows];
  const sign = descending ? -1 : 1;
  return [...rows].sort((p, q) => {
    const [a, b] = [cellOf(p, key), cellOf(q, key)];
    if (typeof a === "string" || typeof b === "string")
      return sign * String(a).localeCompare(String(b), "en", { numeric: true });
    if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
    return a === b ? 0 : sign * (a - b);
  });
}
