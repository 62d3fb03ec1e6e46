// A layout by t-SNE or UMAP: restarted when its settings change, shown while it is computed; users can stop and
// continue it.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { centred } from "../../base/math/space";
import type { Cloud } from "./data";
import { MAX_POINTS, STEPS } from "./tsne";
import type { LayoutMessage, LayoutTask } from "./layout_worker";
import { epochsFor } from "./umap";

export type Method = "tsne" | "umap";

export interface PointLayout {
  /** The points of all rows, centred; NaN for rows outside of the sample. Null until the first result. */
  readonly points: Float32Array | null;
  /** The sample contains every `stride`-th of the finite rows. */
  readonly stride: number;
  readonly sampled: number;
  readonly steps: number;
  /** The number of steps of a complete layout. */
  readonly allSteps: number;
  /** How many of all distances between points have been computed so far, from 0 to 1. */
  readonly measured: number;
  readonly running: boolean;
  readonly trouble: string | null;
  readonly onRun: (run: boolean) => void;
}

type Progress = Pick<PointLayout, "points" | "steps" | "measured" | "trouble">;
const NOTHING: Progress = { points: null, steps: 0, measured: 0, trouble: null };

/** Returns the finite rows, or an evenly spaced sample of them if there are more than `most`. */
export function sampleOf(points: Float32Array, most: number): { rows: Uint32Array; stride: number } {
  const known = Uint32Array.from({ length: points.length / 3 }, (_, i) => i).filter((i) =>
    Number.isFinite(points[3 * i]!),
  );
  const stride = Math.max(1, Math.ceil(known.length / most));
  return { rows: known.filter((_, i) => i % stride === 0), stride };
}

/** The values of some rows, concatenated. */
function taken(values: Float32Array, width: number, rows: Uint32Array): Float32Array<ArrayBuffer> {
  const result = new Float32Array(rows.length * width);
  rows.forEach((row, i) => result.set(values.subarray(row * width, (row + 1) * width), i * width));
  return result;
}

/**
 * `near` is the perplexity of t-SNE, or the number of neighbours of UMAP. If `method` is null, no layout is computed.
 */
export function usePointLayout(cloud: Cloud, method: Method | null, flat: boolean, near: number): PointLayout {
  const [progress, setProgress] = useState(NOTHING);
  const sample = useMemo(
    () => sampleOf(cloud.points, method === "umap" ? Infinity : MAX_POINTS),
    [cloud.points, method],
  );
  const allSteps = method === "umap" ? epochsFor(sample.rows.length) : STEPS;
  // The step at which the layout stops. Stopping sets it to the current step.
  const [until, setUntil] = useState(allSteps);
  const goal = useRef(until);
  const more = useRef<() => void>(() => undefined); // Requests the next steps from the worker.
  useEffect(() => {
    if (method === null) return undefined;
    const { rows } = sample;
    const worker = new Worker(new URL("./layout_worker.ts", import.meta.url), { type: "module" });
    // Whether a response is expected. With it, stop and continue in quick succession send only one request.
    let waiting = false;
    more.current = () => {
      if (!waiting) worker.postMessage(goal.current);
      waiting = true;
    };
    setProgress(NOTHING);
    setUntil((goal.current = allSteps));
    worker.onmessage = ({ data }: MessageEvent<LayoutMessage>) => {
      if ("measured" in data) {
        setProgress({ ...NOTHING, measured: data.measured });
        if (data.measured === 1) more.current();
        return;
      }
      waiting = false;
      if (data.steps < goal.current) more.current(); // The worker continues while this result is painted.
      const points = new Float32Array(cloud.points.length).fill(NaN);
      rows.forEach((row, i) => points.set(data.points.subarray(3 * i, 3 * i + 3), 3 * row));
      setProgress({ points: centred(points), steps: data.steps, measured: 1, trouble: null });
    };
    worker.onerror = (event) =>
      setProgress({
        ...NOTHING,
        trouble: `The points cannot be laid out: ${event.message || "the page's code for it did not arrive"}.`,
      });
    const task: LayoutTask = {
      method,
      rows: taken(cloud.rows, cloud.width, rows),
      width: cloud.width,
      start: taken(cloud.points, 3, rows),
      near,
      flat,
    };
    worker.postMessage(task, [task.rows.buffer, task.start.buffer]);
    return () => worker.terminate();
  }, [cloud.rows, sample, method, flat, near]);
  const running = progress.steps < until && progress.trouble === null;
  const onRun = (run: boolean): void => {
    goal.current = !run ? progress.steps : progress.steps < allSteps ? allSteps : progress.steps + allSteps;
    setUntil(goal.current);
    if (run) more.current();
  };
  return { ...progress, allSteps, running, onRun, stride: sample.stride, sampled: sample.rows.length };
}
