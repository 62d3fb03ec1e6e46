// How high the tallest bar of a chart may be, so that a few spikes do not press all others flat. Pure.
import { fixed } from "../../lib/format";

const MAX_SPIKES = 3; // More bars than this are a shape, and no spikes.
const SPIKE_RATIO = 4; // A spike is so many times as high as the highest bar beside the spikes.
const ROOM = 1.25; // Above the highest bar that is shown whole.

/** The highest bar beside the spikes; 0 where there are only spikes. */
function highestBeside(bars: readonly number[]): { beside: number; highest: number } {
  const order = [...bars.keys()].sort((p, q) => (bars[q] ?? 0) - (bars[p] ?? 0));
  const height = (rank: number): number => bars[order[rank] ?? -1] ?? 0;
  // Three bars side by side are a narrow bell.
  const isBell = (spikes: number): boolean => order.slice(0, spikes).some((bar, _, all) => all.includes(bar + 1) && all.includes(bar + 2));
  let spikes = MAX_SPIKES;
  while (spikes > 0 && (!(height(spikes - 1) > 0) || height(spikes - 1) < SPIKE_RATIO * height(spikes) || isBell(spikes))) spikes -= 1;
  return { beside: height(spikes), highest: height(0) };
}

/**
 * Where an axis for these rows of bars ends. Higher bars are spikes: they are drawn cut, with their share written at
 * them. Rows of nothing but spikes do not count, unless there are no others.
 */
export function ceilingOf(rows: readonly (readonly number[])[]): number {
  const found = rows.map(highestBeside);
  const highest = Math.max(0, ...found.map((row) => row.highest));
  const beside = Math.max(0, ...found.map((row) => row.beside));
  return beside > 0 ? Math.min(highest, beside * ROOM) : highest;
}

/** A bar that is higher than the chart. */
export interface Spike {
  /** The middle of its cut end, in pixels. */
  readonly x: number;
  readonly y: number;
  /** Its share; from the least to the greatest where rows differ. */
  readonly text: string;
  /** Two slanted strokes across the bar, in the colour of the ground. */
  readonly mark: string;
}

/** Every bar that a row has cut. Shares are in per cent; the chart ends at pixel `top`. */
export function spikesOf(rows: readonly (readonly number[])[], ceiling: number, edges: readonly number[], x: (value: number) => number, top: number): Spike[] {
  const cut = (bar: number): number[] => rows.map((row) => row[bar] ?? 0).filter((share) => share > ceiling);
  return Array.from({ length: Math.max(0, edges.length - 1) }, (_, bar) => bar).filter((bar) => cut(bar).length > 0).map((bar) => {
    const [least, greatest] = [Math.min(...cut(bar)), Math.max(...cut(bar))].map((share) => fixed(share, 1));
    const [from, to] = [x(edges[bar] ?? 0), x(edges[bar + 1] ?? 0)];
    const middle = (from + to) / 2;
    const half = Math.max(4, (to - from) / 2 + 2);
    const stroke = (below: number): string => `M${(middle - half).toFixed(1)} ${(top + below + 2).toFixed(1)}L${(middle + half).toFixed(1)} ${(top + below - 2).toFixed(1)}`;
    return { x: middle, y: top, text: least === greatest ? `${greatest} %` : `${least} to ${greatest} %`, mark: stroke(6) + stroke(10) };
  });
}
