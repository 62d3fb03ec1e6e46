// Two columns against each other: a point per trial. Pure: values in, pixels out.
import type { Column } from "./data";
import { axisOf, type AxisLayout, type AxisView } from "./parallel_layout";

export interface ScatterLayout {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly x: AxisLayout;
  readonly y: AxisLayout;
  readonly points: readonly { x: number; y: number; index: number }[];
}

const SPREAD = 11; // Places beside each other on an axis of words.

/** Trials with the same word would hide each other; they stand in a row instead, always the same one. */
function aside(axis: AxisLayout, index: number): number {
  return axis.invert === null ? (((index * 7) % SPREAD) - (SPREAD - 1) / 2) * 2.5 : 0;
}

/** Nothing in a room that is too small. Trials without one of the values have no point. */
export function layoutScatter(xs: Column, ys: Column, width: number, height: number, view: AxisView): ScatterLayout | null {
  const [left, right, top, bottom] = [64, width - 24, 20, height - 40];
  if (right - left < 80 || bottom - top < 60) return null;
  const x = axisOf(xs, 0, right, left, view);
  const y = axisOf(ys, 0, top, bottom, view);
  const points = xs.values.flatMap((value, index) => {
    const [px, py] = [x.y(value), y.y(ys.values[index] ?? null)];
    return px === null || py === null ? [] : [{ x: px + aside(x, index), y: py + aside(y, index), index }];
  });
  return { left, right, top, bottom, x, y, points };
}

/** The point nearest to a place, or null when none is within `reach` pixels. */
export function nearestPoint(layout: ScatterLayout, px: number, py: number, reach = 16): number | null {
  let best: number | null = null;
  let least = reach * reach;
  for (const { x, y, index } of layout.points) {
    const distance = (x - px) ** 2 + (y - py) ** 2;
    if (distance <= least) [best, least] = [index, distance];
  }
  return best;
}
