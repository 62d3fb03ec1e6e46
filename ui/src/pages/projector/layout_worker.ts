// Lays points out beside the page, which never waits for it. The page asks for every next part, so that
// nothing piles up while it is busy, and stopping is to ask no more.
import { nearestNeighbours } from "./neighbours_graph";
import { affinities, Layout, perplexityOf, squaredDistances } from "./tsne";
import { edgesOf, UmapLayout } from "./umap";

export interface LayoutTask {
  readonly method: "tsne" | "umap";
  readonly rows: Float32Array;
  readonly width: number;
  /** x, y, z of each row. */
  readonly start: Float32Array;
  /** The perplexity, or the number of neighbours. */
  readonly near: number;
  readonly flat: boolean;
}

/** To a task: the share of the distances that is known. To a number of steps: where the points are now,
 * on their way there. */
export type LayoutMessage =
  { readonly measured: number } | { readonly points: Float32Array<ArrayBuffer>; readonly steps: number };

const PART_MS = 40; // Between two pictures.

const send = (message: LayoutMessage): void => self.postMessage(message);

let layout: Layout | UmapLayout | null = null;

function begin({ method, rows, width, start, near, flat }: LayoutTask): Layout | UmapLayout {
  const n = start.length / 3;
  const tell = (measured: number): void => send({ measured: Math.min(measured, 0.99) }); // 1 is sent when all is ready.
  if (method === "umap") return new UmapLayout(edgesOf(nearestNeighbours(rows, width, near, tell)), start, flat);
  return new Layout(affinities(squaredDistances(rows, width, tell), n, perplexityOf(near, n)), start, flat);
}

self.onmessage = ({ data }: MessageEvent<LayoutTask | number>): void => {
  if (typeof data !== "number") {
    layout = begin(data);
    return send({ measured: 1 });
  }
  if (!layout) return;
  const until = performance.now() + PART_MS;
  while (layout.steps < data && performance.now() < until) layout.step();
  send({ points: Float32Array.from(layout.points), steps: layout.steps });
};
