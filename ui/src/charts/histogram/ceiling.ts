// Computes the upper limit of a histogram's y axis, so that a few very high bars (spikes) do not make all other bars
// very small. Pure functions.
import { fixed } from "../../base/text/format";

const MAX_SPIKES = 3; // More high bars than this are the shape of the distribution, not spikes.
const SPIKE_RATIO = 4; // A spike is at least this many times as high as the highest bar that is not a spike.
const ROOM = 1.25; // Space above the highest bar that is shown completely, as a factor.

/** The highest bar that is not a spike; 0 if all bars are spikes of a similar height. */
function highestBeside(bars: readonly number[]): { beside: number; highest: number } {
  const order = [...bars.keys()].sort((p, q) => (bars[q] ?? 0) - (bars[p] ?? 0));
  const height = (rank: number): number => bars[order[rank] ?? -1] ?? 0;
  // Three adjacent high bars are a narrow bell curve, not spikes.
  const isBell = (spikes: number): boolean =>
    order.slice(0, spikes).some((bar, _, all) => all.includes(bar + 1) && all.includes(bar + 2));
  const filled = bars.filter((bar) => bar > 0).length;
  // If few bars are filled, the lowest of them still counts as "beside", so that an outlier is visible beside a spike.
  let spikes = Math.min(MAX_SPIKES, Math.max(0, filled - 1));
  while (spikes > 0 && (height(spikes - 1) < SPIKE_RATIO * height(spikes) || isBell(spikes))) spikes -= 1;
  return { beside: spikes === 0 && filled <= MAX_SPIKES ? 0 : height(spikes), highest: height(0) };
}

/**
 * The upper limit of the y axis for several histograms. Spikes are cut at this limit, with their share written beside
 * them. A histogram that has only spikes is ignored, unless all histograms have only spikes.
 */
export function ceilingOf(rows: readonly (readonly number[])[]): number {
  const found = rows.map(highestBeside);
  const highest = Math.max(0, ...found.map((row) => row.highest));
  const beside = Math.max(0, ...found.map((row) => row.beside));
  return beside > 0 ? Math.min(highest, beside * ROOM) : highest;
}

/** Adjacent bars that are cut because they are higher than the chart. */
export interface Spike {
  /** The x position of the middle of the bars, in pixels. */
  readonly x: number;
  /** The share of the values in the cut bars. Two shares (min and max) if the histograms differ. */
  readonly text: string;
  /** An SVG path: two slanted strokes across the cut bars, in the background colour. */
  readonly mark: string;
}

/** The first and last bar of each range of adjacent bars that are cut in any of the histograms. */
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

/** Writes a share that is rounded to 100 % as ">99.9", because some values are in other bars. */
const shareText = (share: number): string => (share < 100 && share >= 99.95 ? ">99.9" : fixed(share, 1));

/** The marks and shares of all bars that are cut in `rows`. Shares are in per cent; the chart ends at pixel `top`. */
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
    const [least, greatest] = [Math.min(...shares), Math.max(...shares)].map(shareText);
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
