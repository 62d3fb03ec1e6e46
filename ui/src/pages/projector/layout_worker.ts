// Computes layouts in a worker, so that the page stays responsive. The page sends a request for each group of steps. So
// messages do not pile up while the page is busy, and the page stops the layout by sending no further request.
import { nearestNeighbours } from "./neighbours_graph";
import { affinities, Layout, perplexityOf, squaredDistances } from "./tsne";
import { edgesOf, UmapLayout } from "./umap";

export interface LayoutTask {
  readonly method: "tsne" | "umap";
  readonly rows: Float32Array;
  readonly width: number;
  /** The start coordinates x, y, z of each row. */
  readonly start: Float32Array;
  /** The perplexity of t-SNE, or the number of neighbours of UMAP. */
  readonly near: number;
  readonly flat: boolean;
}

/**
 * The response to a task is the computed share of the distances; the response to a number of steps is the current
 * points.
 */
export type LayoutMessage =
  { readonly measured: number } | { readonly points: Float32Array<ArrayBuffer>; readonly steps: number };

const PART_MS = 40; // The time between two responses, in milliseconds.

const send = (message: LayoutMessage): void => self.postMessage(message);

let layout: Layout | UmapLayout | null = null;

function begin({ method, rows, width, start, near, flat }: LayoutTask): Layout | UmapLayout {
  const n = start.length / 3;
  // The share 1 is sent when all preparations are complete.
  const tell = (measured: number): void => send({ measured: Math.min(measured, 0.99) });
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
