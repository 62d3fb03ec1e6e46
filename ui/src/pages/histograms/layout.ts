// The layout of histograms over steps as ridges, one behind the other, the newest in front. Pure functions.
import { ceilingOf, spikesOf, type Spike } from "../../charts/histogram/ceiling";
import { labelWidth, leftOf } from "../../charts/drawing/axis_labels";
import { count, tickTexts } from "../../base/text/format";
import { linearScale, ticks, type Scale } from "../../base/math/scale";
import type { Bars } from "./data";

export interface Ridge {
  readonly step: number;
  readonly baseline: number;
  readonly path: string;
  readonly age: number; // The age on a scale from 0 (oldest) to 1 (newest).
  readonly spikes: readonly Spike[];
}

export interface RidgeLayout {
  readonly box: { l: number; r: number; t: number; b: number };
  readonly x: Scale;
  readonly ridges: readonly Ridge[];
}

/** The label of a ridge. `name` is "channel" for histograms whose steps are channels. */
export const labelOf = (step: number, name: string): string => `${name} ${count(step)}`;

const LOG_DEPTH = 4; // The log axis begins this many decades below the largest share.

/** By step and bar: the share of the step's values that are in the bar, in per cent. */
export function sharesOf({ counts, nums }: Bars): number[][] {
  return counts.map((row, s) =>
    row.map((count) => (count > 0 && (nums[s] ?? 0) > 0 ? (count / (nums[s] ?? 1)) * 100 : 0)),
  );
}

/** The height of a share on the axis, from 0 to 1. */
export function heightOf(share: number, most: number, logY: boolean): number {
  if (!(share > 0)) return 0;
  return logY ? Math.max(0, 1 + Math.log10(share / most) / LOG_DEPTH) : Math.min(1, share / most);
}

const Y_TICKS = 4;

/** The labels of a linear y axis. */
export function yTicksOf(y: Scale): { readonly at: number; readonly text: string }[] {
  const marks = ticks(...y.domain, Y_TICKS);
  return tickTexts(marks).map((text, i) => ({ at: y(marks[i] ?? 0), text }));
}

/** The space that these labels take, for an axis between two values. */
export const leftOfTicks = (min: number, max: number): number => leftOf(tickTexts(ticks(min, max, Y_TICKS)));

export function layoutRidges(
  data: Bars,
  width: number,
  height: number,
  overlay: boolean,
  logY = false,
  stepName = "step",
): RidgeLayout | null {
  const { edges, steps } = data;
  const widest = Math.max(0, ...steps.map((step) => labelWidth(labelOf(step, stepName))));
  const box = { l: 12, r: width - Math.min(Math.max(56, widest + 8), width / 3), t: 20, b: height - 22 };
  if (edges.length < 2 || box.r - box.l < 40 || box.b - box.t < 30) return null;
  const x = linearScale(edges[0] ?? 0, edges.at(-1) ?? 0, box.l, box.r);
  const shares = sharesOf(data);
  const most = logY ? Math.max(...shares.flat()) : ceilingOf(shares);
  if (!(most > 0)) return null;
  const room = box.b - box.t;
  const rise = overlay || steps.length === 1 ? room : room * 0.4;
  const ridges = steps.map((step, s): Ridge => {
    const age = steps.length === 1 ? 1 : s / (steps.length - 1);
    const baseline = overlay ? box.b : box.t + rise + (room - rise) * age;
    const row = shares[s] ?? [];
    const floor = baseline.toFixed(1);
    const outline = row.reduce(
      (d, share, i) =>
        `${d}V${(baseline - heightOf(share, most, logY) * rise).toFixed(1)}H${x(edges[i + 1] ?? 0).toFixed(1)}`,
      `M${box.l.toFixed(1)} ${floor}`,
    );
    return {
      step,
      baseline,
      age,
      path: row.some((share) => share > 0) ? `${outline}V${floor}` : "",
      spikes: logY ? [] : spikesOf([row], most, edges, x, baseline - rise),
    };
  });
  return { box, x, ridges };
}

/** The ridge at a point: the one with the nearest base line below the point. */
export function ridgeAt(layout: RidgeLayout, y: number): number {
  const at = layout.ridges.findIndex((ridge) => ridge.baseline >= y);
  return at < 0 ? layout.ridges.length - 1 : at;
}

/** The index of the bar that contains a value, or -1. */
export function barAt(edges: readonly number[], value: number): number {
  if (!(value >= (edges[0] ?? Infinity) && value <= (edges.at(-1) ?? -Infinity))) return -1;
  let [lo, hi] = [0, edges.length - 2];
  while (lo < hi) {
    const middle = (lo + hi) >> 1;
    if ((edges[middle + 1] ?? 0) < value) lo = middle + 1;
    else hi = middle;
  }
  return lo;
}
