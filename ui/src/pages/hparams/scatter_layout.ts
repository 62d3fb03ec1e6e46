// Two columns against each other: a point per trial. Pure: values in, pixels out.
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

const SPREAD = 11; // Places beside each other on an axis of words.
const APART = 2.5; // Pixels from one of them to the next, where there is room.
const DOT = 6; // Room for half a point between the outermost values and the frame.

/** Trials with the same word would hide each other; they stand in a row instead, always the same one, and
 * never among those of the next word. */
function aside(axis: AxisLayout, length: number): (index: number) => number {
  if (axis.invert !== null) return () => 0;
  const step = Math.min(APART, (0.7 * length) / Math.max(1, levelsOf(axis.column).length) / SPREAD);
  return (index) => (((index * 7) % SPREAD) - (SPREAD - 1) / 2) * step;
}

/** Nothing in a room that is too small. Trials without one of the values have no point. */
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

const [GLYPH, GAP] = [7.6, 8]; // Pixels of a character, and between two words of the lower axis.
const [MIN_GLYPHS, MAX_GLYPHS] = [6, 14];

/** Ticks with words that do not touch each other: shorter where they stand close, unless they are numbers,
 * and some of them only where not even short ones have room. */
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
