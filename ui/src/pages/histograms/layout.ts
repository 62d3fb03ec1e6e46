// Histograms over steps as ridges, one behind the other, the newest in front. Pure.
import { extent, linearScale, type Scale } from "../../lib/scale";
import type { Steps } from "./data";

export interface Ridge {
  readonly step: number;
  readonly baseline: number;
  readonly path: string;
  readonly age: number; // 0: the oldest, 1: the newest.
}

export interface RidgeLayout {
  readonly box: { l: number; r: number; t: number; b: number };
  readonly x: Scale;
  readonly ridges: readonly Ridge[];
}

const NARROWEST = 256; // A bin of no width, all of whose values are equal, is drawn as this part of the axis.
const LOG_DEPTH = 4; // Decades below the largest density that a log axis shows.

/** From the first bin that holds anything to the last. */
export function filledRange(data: Steps): [number, number] | null {
  return extent(data.lefts.flatMap((lefts, s) => {
    const filled = (data.counts[s] ?? []).map((c, i) => (c > 0 ? i : -1)).filter((i) => i >= 0);
    const [first, last] = [filled[0], filled.at(-1)];
    return first === undefined || last === undefined ? [] : [lefts[first] ?? 0, data.rights[s]?.[last] ?? 0];
  }));
}

/** Shares per width, since bins may differ in it. */
function densities(lefts: readonly number[], rights: readonly number[], counts: readonly number[], least: number): number[] {
  const total = counts.reduce((sum, c) => sum + c, 0) || 1;
  return counts.map((c, i) => c / total / Math.max((rights[i] ?? 0) - (lefts[i] ?? 0), least));
}

/** How high a density stands, from 0 to 1. */
export function heightOf(density: number, most: number, logY: boolean): number {
  if (!(density > 0)) return 0;
  return logY ? Math.max(0, 1 + Math.log10(density / most) / LOG_DEPTH) : density / most;
}

export function layoutRidges(data: Steps, width: number, height: number, overlay: boolean, logY = false): RidgeLayout | null {
  const box = { l: 12, r: width - 56, t: 8, b: height - 22 };
  const range = filledRange(data);
  if (!range || box.r - box.l < 40) return null;
  const [lo, hi] = range[1] === range[0] ? [range[0] - 0.5, range[0] + 0.5] : range;
  const x = linearScale(lo, hi, box.l, box.r);
  const least = (hi - lo) / NARROWEST;
  const all = data.steps.map((_, s) => densities(data.lefts[s] ?? [], data.rights[s] ?? [], data.counts[s] ?? [], least));
  const most = Math.max(...all.map((d) => Math.max(0, ...d)), 1e-300);
  const room = box.b - box.t;
  const rise = overlay || data.steps.length === 1 ? room * 0.94 : room * 0.4;
  const ridges = data.steps.map((step, s): Ridge => {
    const age = data.steps.length === 1 ? 1 : s / (data.steps.length - 1);
    const baseline = overlay ? box.b : box.t + rise + (room - rise) * age;
    const floor = baseline.toFixed(1);
    let path = "";
    let end = NaN;
    all[s]?.forEach((density, i) => {
      const [left, right] = [data.lefts[s]?.[i] ?? 0, data.rights[s]?.[i] ?? 0];
      const half = Math.max(0, least - (right - left)) / 2;
      const [from, to] = [x(left - half), x(right + half)];
      if (to < box.l - 1 || from > box.r + 1) return;
      const y = (baseline - heightOf(density, most, logY) * rise).toFixed(1);
      path += path === "" ? `M${from.toFixed(1)} ${floor}V${y}H${to.toFixed(1)}` : (from > end + 0.5 ? `V${floor}H${from.toFixed(1)}` : "") + `V${y}H${to.toFixed(1)}`;
      end = to;
    });
    if (path) path += `V${floor}`;
    return { step, baseline, path, age };
  });
  return { box, x, ridges };
}

/** The ridge that a point belongs to: of several the one whose foot is next below it. */
export function ridgeAt(layout: RidgeLayout, y: number): number {
  const at = layout.ridges.findIndex((ridge) => ridge.baseline >= y);
  return at < 0 ? layout.ridges.length - 1 : at;
}

/** The bin that holds a value, or -1. */
export function binAt(lefts: readonly number[], rights: readonly number[], value: number): number {
  let [lo, hi] = [0, lefts.length - 1];
  while (lo < hi) {
    const middle = (lo + hi) >> 1;
    if ((rights[middle] ?? 0) < value) lo = middle + 1;
    else hi = middle;
  }
  return lefts.length > 0 && value >= (lefts[lo] ?? Infinity) && value <= (rights[lo] ?? -Infinity) ? lo : -1;
}
