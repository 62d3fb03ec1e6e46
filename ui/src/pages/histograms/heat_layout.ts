// The layout of a heat map of histograms: steps from left to right, values from bottom to top, darker for higher
// counts. Pure functions.
import { ceilingOf } from "../../charts/histogram/ceiling";
import { extent, linearScale, type Scale } from "../../base/math/scale";
import type { Bars } from "./data";
import { heightOf, leftOfTicks, sharesOf, yTicksOf } from "./layout";

export interface HeatLayout {
  readonly box: { l: number; r: number; t: number; b: number };
  readonly x: Scale;
  readonly y: Scale;
  readonly yTicks: readonly { readonly at: number; readonly text: string }[];
  /** The left and right end of the column of each step, in pixels. */
  readonly columns: readonly { readonly from: number; readonly to: number }[];
  /**
   * For each column and bar, from the bottom: the share of the step's values that are in the bar, and the darkness of
   * the bar from 0 to 1.
   */
  readonly shares: readonly (readonly number[])[];
  readonly darkness: readonly (readonly number[])[];
}

const FAINTEST = 0.02; // The opacity of the smallest count on a log scale.

export function layoutHeat(data: Bars, width: number, height: number, logY: boolean): HeatLayout | null {
  const { edges } = data;
  const [min, max] = [edges[0] ?? 0, edges.at(-1) ?? 0];
  const box = { l: leftOfTicks(min, max), r: width - 10, t: 8, b: height - 22 };
  const steps = extent(data.steps);
  const shares = sharesOf(data);
  const most = logY ? Math.max(0, ...shares.flat()) : ceilingOf(shares);
  if (edges.length < 2 || !steps || !(most > 0) || box.r - box.l < 40 || box.b - box.t < 30) return null;
  const y = linearScale(min, max, box.b, box.t);
  const x = linearScale(...(steps[0] === steps[1] ? ([steps[0] - 0.5, steps[0] + 0.5] as const) : steps), box.l, box.r);
  // The column of a step reaches half way to the neighbouring steps; the first and the last column reach the ends of
  // the axis.
  const middle = (i: number): number => (x(data.steps[i - 1] ?? 0) + x(data.steps[i] ?? 0)) / 2;
  const columns = data.steps.map((_, i) => ({
    from: i === 0 ? box.l : middle(i),
    to: i === data.steps.length - 1 ? box.r : middle(i + 1),
  }));
  // The square root makes the tails of the histograms visible; on a linear scale they would be white.
  const dark = (share: number): number =>
    share <= 0 ? 0 : logY ? Math.max(FAINTEST, heightOf(share, most, true)) : Math.sqrt(heightOf(share, most, false));
  return { box, x, y, yTicks: yTicksOf(y), columns, shares, darkness: shares.map((column) => column.map(dark)) };
}
