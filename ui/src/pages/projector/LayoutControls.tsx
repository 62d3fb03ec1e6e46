// The controls of t-SNE and UMAP: the number of neighbours, the progress, and a note on how to read the layout.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { count, percent } from "../../base/text/format";
import { setQuery } from "../../base/address";
import { perplexityOf } from "./tsne";
import { MAX_NEIGHBOURS } from "./umap";
import type { Method, PointLayout } from "./usePointLayout";

interface Setting {
  readonly key: string; // The name of the key in the address.
  readonly name: string;
  readonly title: string;
  readonly usual: number;
  readonly max: number;
}

const SETTINGS: Readonly<Record<Method, Setting>> = {
  tsne: {
    key: "perplexity",
    name: "Perplexity",
    title: "Approximate number of neighbours of each point that the layout preserves",
    usual: 30,
    max: 100,
  },
  umap: {
    key: "neighbours",
    name: "Neighbours",
    title:
      "Number of neighbours of each point that the layout considers: few show local detail, many show the global structure",
    usual: 15,
    max: MAX_NEIGHBOURS,
  },
};

/** The perplexity or the number of neighbours; invalid text gives the default. */
export function readNear(method: Method, params: URLSearchParams): number {
  const { key, usual, max } = SETTINGS[method];
  const asked = Number(params.get(key) ?? NaN);
  return Number.isInteger(asked) && asked >= 2 && asked <= max ? asked : usual;
}

export function LayoutControls({
  layout,
  method,
  near,
}: {
  layout: PointLayout;
  method: Method;
  near: number;
}): JSX.Element {
  const { steps, allSteps, measured, running, trouble, sampled, onRun } = layout;
  const { key, name, title, usual, max } = SETTINGS[method];
  // The value while the slider is dragged; the layout restarts only at the end of the drag.
  const [held, setHeld] = useState(near);
  useEffect(() => setHeld(near), [near]);
  if (trouble !== null)
    return (
      <p class="trouble" role="alert">
        {trouble}
      </p>
    );
  const most = Math.max(2, method === "tsne" ? Math.floor(perplexityOf(max, sampled)) : Math.min(max, sampled - 1));
  return (
    <div class="tsne" aria-busy={running}>
      <label class="label">
        {name}
        <input
          type="range"
          min="2"
          max={most}
          value={Math.min(held, most)}
          title={title}
          onInput={(event) => setHeld(Number(event.currentTarget.value))}
          onChange={(event) =>
            setQuery({
              [key]: Number(event.currentTarget.value) === usual ? null : event.currentTarget.value,
            })
          }
        />
        <output>{Math.min(held, most)}</output>
      </label>
      <div class="label">
        <span>
          {measured < 1
            ? `${method === "umap" ? "Neighbours" : "Distances"}: ${percent(measured, 0)} %`
            : `Step ${count(steps)}`}
        </span>
        {measured === 1 && (
          <button class="pick push" onClick={() => onRun(!running)}>
            {running ? "Stop" : "Continue"}
          </button>
        )}
      </div>
      <span class="sr" role="status">
        {running || steps === 0 ? "" : steps < allSteps ? "Stopped" : "The layout is done"}
      </span>
      <p class="note">Near points stay near. Cluster size and distance are not meaningful.</p>
    </div>
  );
}
