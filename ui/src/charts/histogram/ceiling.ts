// How high the tallest bar of a chart may be, so that a few spikes do not press all others flat. Pure.
import { fixed } from "../../base/text/format";

const MAX_SPIKES = 3; // More bars than this are a shape, and no spikes.
const SPIKE_RATIO = 4; // A spike is so many times as high as the highest bar beside the spikes.
const ROOM = 1.25; // Above the highest bar that is shown whole.

/** The highest bar beside the spikes; 0 where there are only spikes. */
function highestBeside(bars: readonly number[]): { beside: number; highest: number } {
  const order = [...bars.keys()].sort((p, q) => (bars[q] ?? 0) - (bars[p] ?? 0));
  const height = (rank: number): number => bars[order[rank] ?? -1] ?? 0;
  // Three bars side by side are a narrow bell.
  const isBell = (spikes: number): boolean =>
    order.slice(0, spikes).some((bar, _, all) => all.includes(bar + 1) && all.includes(bar + 2));
  let spikes = MAX_SPIKES;
  while (
    spikes > 0 &&
    (!(height(spikes - 1) > 0) || height(spikes - 1) < SPIKE_RATIO * height(spikes) || isBell(spikes))
  )
    spikes -= 1;
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

/** Bars side by side that are higher than the chart. */
export interface Spike {
  /** Their middle, in pixels. */
  readonly x: number;
  /** Their share; min and max where rows differ. */
  readonly text: string;
  /** Two slanted strokes across the bars, in the colour of the ground. */
  readonly mark: string;
}

/** First and last of each stretch of bars that any row has cut. */
function cutStretches(rows: readonly (readonly number[])[], ceiling: number, bars: number): [number, number][] {
  const stretches: [number, number][] = [];
  for (let bar = 0; bar < bars; bar += 1) {
    if (!rows.some((row) => (row[bar] ?? 0) > ceiling)) continue;
    const before = stretches.at(-1);
    if (before?.[1] === bar - 1) before[1] = bar;
    else stretches.push([bar, bar]);
  }
  return stretches;
}

/** Everything that rows have cut. Shares are in per cent; the chart ends at pixel `top`. */
export function spikesOf(
  rows: readonly (readonly number[])[],
  ceiling: number,
  edges: readonly number[],
  x: (value: number) => number,
  top: number,
): Spike[] {
  return cutStretches(rows, ceiling, edges.length - 1).map(([first, last]) => {
    const shares = rows
      .map((row) =>
        row
          .slice(first, last + 1)
          .filter((share) => share > ceiling)
          .reduce((sum, share) => sum + share, 0),
      )
      .filter((share) => share > 0);
    const [least, greatest] = [Math.min(...shares), Math.max(...shares)].map((share) => fixed(share, 1));
    const [from, to] = [x(edges[first] ?? 0), x(edges[last + 1] ?? 0)];
    const middle = (from + to) / 2;
    const half = Math.max(4, (to - from) / 2 + 2);
    const stroke = (below: number): string =>
      `M${(middle - half).toFixed(1)} ${(top + below + 2).toFixed(1)}L${(middle + half).toFixed(1)} ${(top + below - 2).toFixed(1)}`;
    return {
      x: middle,
      text: least === greatest ? `${greatest} %` : `${least} to ${greatest} %`,
      mark: stroke(6) + stroke(10),
    };
  });
}
