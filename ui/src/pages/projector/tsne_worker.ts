// Lays points out beside the page, which never waits for it. The page asks for every next part, so that
// nothing piles up while it is busy, and stopping is to ask no more.
import { affinities, Layout, perplexityOf, squaredDistances } from "./tsne";

export interface TsneTask {
  readonly rows: Float32Array;
  readonly width: number;
  /** x, y, z of each row. */
  readonly start: Float32Array;
  readonly perplexity: number;
  readonly flat: boolean;
}

/** To a task: the share of the distances that is known. To a number of steps: where the points are now,
 * on their way there. */
export type TsneMessage =
  { readonly measured: number } | { readonly points: Float32Array<ArrayBuffer>; readonly steps: number };

const PART_MS = 40; // Between two pictures.

const send = (message: TsneMessage): void => self.postMessage(message);

let layout: Layout | null = null;

self.onmessage = ({ data }: MessageEvent<TsneTask | number>): void => {
  if (typeof data !== "number") {
    const n = data.start.length / 3;
    const squares = squaredDistances(data.rows, data.width, (measured) => send({ measured }));
    layout = new Layout(affinities(squares, n, perplexityOf(data.perplexity, n)), data.start, data.flat);
    return send({ measured: 1 });
  }
  if (!layout) return;
  const until = performance.now() + PART_MS;
  while (layout.steps < data && performance.now() < until) layout.step();
  send({ points: Float32Array.from(layout.points), steps: layout.steps });
};
