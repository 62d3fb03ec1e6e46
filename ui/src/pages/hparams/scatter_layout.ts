// The layout of a scatter plot of two columns: a point per trial. Pure functions that convert values to pixels.
import { cutMiddle } from "../../base/text/middle";
import { levelsOf, type Column } from "./data";
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

const SPREAD = 11; // The number of points side by side at one word of a word axis.
const APART = 2.5; // The max distance between these points, in pixels.
const DOT = 6; // Space for half a point between the outermost values and the frame.

/**
 * Trials with the same word on an axis are shifted side by side, so that they do not hide each other. The trials of a
 * word are always in the same order, and their points do not reach the next word.
 */
function aside(axis: AxisLayout, length: number): (index: number) => number {
  if (axis.invert !== null) return () => 0;
  const step = Math.min(APART, (0.7 * length) / Math.max(1, levelsOf(axis.column).length) / SPREAD);
  return (index) => (((index * 7) % SPREAD) - (SPREAD - 1) / 2) * step;
}

/** The layout; null if the space is too small. Trials without one of the two values have no point. */
export function layoutScatter(
  xs: Column,
  ys: Column,
  width: number,
  height: number,
  view: AxisView,
): ScatterLayout | null {
  const [left, right, top, bottom] = [64, width - 24, 20, height - 40];
  if (right - left < 80 || bottom - top < 60) return null;
  const x = axisOf(xs, 0, right - DOT, left + DOT, view);
  const y = axisOf(ys, 0, top + DOT, bottom - DOT, view);
  const [besideX, besideY] = [aside(x, right - left), aside(y, bottom - top)];
  const points = xs.values.flatMap((value, index) => {
    const [px, py] = [x.y(value), y.y(ys.values[index] ?? null)];
    return px === null || py === null ? [] : [{ x: px + besideX(index), y: py + besideY(index), index }];
  });
  return { left, right, top, bottom, x, y, points };
}

/** The point nearest to a position; null if no point is within `reach` pixels. */
export function nearestPoint(layout: ScatterLayout, px: number, py: number, reach = 16): number | null {
  let best: number | null = null;
  let least = reach * reach;
  for (const { x, y, index } of layout.points) {
    const distance = (x - px) ** 2 + (y - py) ** 2;
    if (distance <= least) [best, least] = [index, distance];
  }
  return best;
}

// The width of a character, and the min distance between two labels of the x axis, in pixels.
const [GLYPH, GAP] = [7.6, 8];
const [MIN_GLYPHS, MAX_GLYPHS] = [6, 14];

/**
 * Ticks whose labels do not overlap: words are shortened if space is small, and some ticks are left out if even short
 * labels do not fit. Numbers are never shortened.
 */
export function wordsApart<T extends { at: number; text: string }>(ticks: readonly T[], areNumbers = false): T[] {
  const step = Math.min(...ticks.slice(1).map((tick, i) => Math.abs(tick.at - ticks[i]!.at)));
  const most = Math.max(MIN_GLYPHS, Math.min(MAX_GLYPHS, Math.floor((step - GAP) / GLYPH)));
  const kept: T[] = [];
  const half = ({ text }: T): number => (text.length * GLYPH) / 2;
  for (const long of ticks) {
    const tick = areNumbers ? long : { ...long, text: cutMiddle(long.text, most) };
    const before = kept.at(-1);
    if (!before || Math.abs(tick.at - before.at) >= half(before) + half(tick) + GAP) kept.push(tick);
  }
  return kept;
}
