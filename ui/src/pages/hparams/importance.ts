// The share of a metric's variance that a single setting explains. No model is fitted: trials are grouped by the
// setting, and the variance between groups is compared with the variance within groups.
import { significant } from "../../base/text/format";
import { levelsOf, type Column } from "./data";

export interface Level {
  readonly text: string;
  readonly mean: number;
  readonly trials: number;
}

export interface Importance {
  readonly column: Column;
  /** Omega squared, from 0 to 1; chance alone gives 0. Null if it cannot be computed. */
  readonly share: number | null;
  /** The rank correlation of the setting with the metric, from -1 to 1; null if the setting is not numeric. */
  readonly direction: number | null;
  readonly levels: readonly Level[];
  readonly trials: number;
}

const MAX_LEVELS = 8; // Numbers with more distinct values than this are put into groups of about equal size.
const GROUPS = 5;
const MIN_TRIALS = 4;

function ranks(values: readonly number[]): number[] {
  const order = [...values.keys()].sort((p, q) => values[p]! - values[q]!);
  const result = new Array<number>(values.length).fill(0);
  for (let from = 0; from < order.length;) {
    let to = from;
    while (to + 1 < order.length && values[order[to + 1]!] === values[order[from]!]) to += 1;
    for (let i = from; i <= to; i += 1) result[order[i]!] = (from + to) / 2;
    from = to + 1;
  }
  return result;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Spearman's rank correlation; null if one of the variables is constant. */
export function rankCorrelation(xs: readonly number[], ys: readonly number[]): number | null {
  const [a, b] = [ranks(xs), ranks(ys)];
  const [ma, mb] = [mean(a), mean(b)];
  let [top, left, right] = [0, 0, 0];
  a.forEach((value, i) => {
    top += (value - ma) * (b[i]! - mb);
    left += (value - ma) ** 2;
    right += (b[i]! - mb) ** 2;
  });
  return left > 0 && right > 0 ? top / Math.sqrt(left * right) : null;
}

/** The share of the variance that lies between groups, corrected for the number of groups (omega squared). */
export function omegaSquared(groups: readonly (readonly number[])[]): number | null {
  const all = groups.flat();
  const inside = all.length - groups.length;
  if (groups.length < 2 || inside < 1) return null;
  const middle = mean(all);
  const total = all.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  if (total === 0) return null;
  const between = groups.reduce((sum, group) => sum + group.length * (mean(group) - middle) ** 2, 0);
  const error = Math.max(0, total - between) / inside;
  return Math.min(1, Math.max(0, (between - (groups.length - 1) * error) / (total + error)));
}

interface Group {
  readonly text: string;
  readonly values: readonly number[];
}

function groupsOf(column: Column, rows: readonly number[], metric: readonly number[]): Group[] {
  const levels = levelsOf({ ...column, values: rows.map((row) => column.values[row] ?? null) });
  if (!column.isNumeric || levels.length <= MAX_LEVELS) {
    return levels.map((level) => ({
      text: typeof level === "number" ? significant(level) : String(level),
      values: rows.filter((row) => column.values[row] === level).map((row) => metric[row]!),
    }));
  }
  const sorted = [...rows].sort((p, q) => Number(column.values[p]) - Number(column.values[q]));
  return Array.from({ length: GROUPS }, (_, i) =>
    sorted.slice(Math.round((i * sorted.length) / GROUPS), Math.round(((i + 1) * sorted.length) / GROUPS)),
  )
    .filter((part) => part.length > 0)
    .map((part) => ({
      text: `${significant(Number(column.values[part[0]!]), 3)} … ${significant(Number(column.values[part.at(-1)!]), 3)}`,
      values: part.map((row) => metric[row]!),
    }));
}

/** Every setting that varies, sorted by the share of the metric's variance that it explains. */
export function importances(columns: readonly Column[], metric: Column): Importance[] {
  const values = metric.values.map((value) => (typeof value === "number" ? value : NaN));
  return columns
    .filter((column) => !column.isMetric && column.varies)
    .map((column): Importance => {
      const known = [...values.keys()].filter((row) => {
        const own = column.values[row] ?? null;
        return Number.isFinite(values[row]) && own !== null && (typeof own !== "number" || Number.isFinite(own));
      });
      const groups = groupsOf(column, known, values);
      return {
        column,
        trials: known.length,
        share: known.length < MIN_TRIALS ? null : omegaSquared(groups.map((group) => group.values)),
        direction:
          column.isNumeric && known.length >= MIN_TRIALS
            ? rankCorrelation(
                known.map((row) => Number(column.values[row])),
                known.map((row) => values[row]!),
              )
            : null,
        levels: groups.map((group) => ({ text: group.text, mean: mean(group.values), trials: group.values.length })),
      };
    })
    .sort((p, q) => (q.share ?? -1) - (p.share ?? -1));
}
