// Histograms over steps as a picture: steps to the right, values up, darker where more of them are. Pure.
import { extent, linearScale, type Scale } from "../../lib/scale";
import type { Steps } from "./data";
import { filledRange } from "./layout";

export interface HeatLayout {
  readonly box: { l: number; r: number; t: number; b: number };
  readonly x: Scale;
  readonly y: Scale;
  /** Where each step's column begins and ends, in pixels. */
  readonly columns: readonly { readonly from: number; readonly to: number }[];
  /** By column and row, from below: the share of the step's values, and how dark it is, 0 to 1. */
  readonly shares: readonly (readonly number[])[];
  readonly darkness: readonly (readonly number[])[];
  readonly rows: number;
}

/** The mass of each bin, spread evenly over its width, in `rows` equal parts from lo to hi. */
export function rebinned(lefts: readonly number[], rights: readonly number[], counts: readonly number[], lo: number, hi: number, rows: number): number[] {
  const result = new Array<number>(rows).fill(0);
  const part = (hi - lo) / rows;
  const rowOf = (value: number): number => Math.min(rows - 1, Math.max(0, Math.floor((value - lo) / part)));
  counts.forEach((count, i) => {
    if (!(count > 0)) return;
    const [left, right] = [lefts[i] ?? 0, rights[i] ?? 0];
    const [first, last] = [rowOf(left), rowOf(right)];
    for (let row = first; row <= last; row += 1) {
      const inside = Math.min(right, lo + (row + 1) * part) - Math.max(left, lo + row * part);
      result[row] = (result[row] ?? 0) + (first === last || right <= left ? count / (last - first + 1) : count * Math.max(0, inside) / (right - left));
    }
  });
  return result;
}

export function layoutHeat(data: Steps, width: number, height: number, logY: boolean): HeatLayout | null {
  const box = { l: 48, r: width - 10, t: 8, b: height - 22 };
  const range = filledRange(data);
  const steps = extent(data.steps);
  if (!range || !steps || box.r - box.l < 40 || box.b - box.t < 30) return null;
  const [lo, hi] = range[1] === range[0] ? [range[0] - 0.5, range[0] + 0.5] : range;
  const y = linearScale(lo, hi, box.b, box.t);
  const rows = Math.max(8, Math.floor((box.b - box.t) / 3));
  const shares = data.steps.map((_, s) => {
    const counts = rebinned(data.lefts[s] ?? [], data.rights[s] ?? [], data.counts[s] ?? [], lo, hi, rows);
    const total = counts.reduce((sum, c) => sum + c, 0) || 1;
    return counts.map((c) => c / total);
  });
  const most = Math.max(...shares.flat(), 1e-300);
  const x = linearScale(...(steps[0] === steps[1] ? [steps[0] - 0.5, steps[0] + 0.5] as const : steps), box.l, box.r);
  // A column reaches half way to its neighbours; the first and the last one to the end of the axis.
  const middle = (i: number): number => (x(data.steps[i - 1] ?? 0) + x(data.steps[i] ?? 0)) / 2;
  const columns = data.steps.map((_, i) => ({ from: i === 0 ? box.l : middle(i), to: i === data.steps.length - 1 ? box.r : middle(i + 1) }));
  // The square root shows tails that a straight scale would leave white.
  const dark = (share: number): number => (share <= 0 ? 0 : logY ? Math.max(0.02, 1 + Math.log10(share / most) / 4) : Math.sqrt(share / most));
  return { box, x, y, columns, shares, darkness: shares.map((column) => column.map(dark)), rows };
}
