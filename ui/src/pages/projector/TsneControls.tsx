// How many neighbours a point is to keep, how far the layout is, and what may be read from it.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { count, percent } from "../../base/text/format";
import { setQuery } from "../../base/address";
import { perplexityOf, STEPS } from "./tsne";
import type { Tsne } from "./useTsne";

const DEFAULT_PERPLEXITY = 30;
const MAX_PERPLEXITY = 100;

/** An invalid perplexity falls back to the default. */
export function readPerplexity(text: string | null): number {
  const asked = Number(text ?? NaN);
  return Number.isInteger(asked) && asked >= 2 && asked <= MAX_PERPLEXITY ? asked : DEFAULT_PERPLEXITY;
}

export function TsneControls({ tsne, perplexity }: { tsne: Tsne; perplexity: number }): JSX.Element {
  const { steps, measured, running, trouble, sampled, onRun } = tsne;
  const [held, setHeld] = useState(perplexity); // While it is dragged, t-SNE does not restart.
  useEffect(() => setHeld(perplexity), [perplexity]);
  if (trouble !== null)
    return (
      <p class="trouble" role="alert">
        {trouble}
      </p>
    );
  const most = Math.max(2, Math.min(MAX_PERPLEXITY, Math.floor(perplexityOf(MAX_PERPLEXITY, sampled))));
  return (
    <div class="tsne" aria-busy={running}>
      <label class="label">
        Perplexity
        <input
          type="range"
          min="2"
          max={most}
          value={Math.min(held, most)}
          title="About how many neighbours each point is to keep"
          onInput={(event) => setHeld(Number(event.currentTarget.value))}
          onChange={(event) =>
            setQuery({
              perplexity: Number(event.currentTarget.value) === DEFAULT_PERPLEXITY ? null : event.currentTarget.value,
            })
          }
        />
        <output>{Math.min(held, most)}</output>
      </label>
      <div class="label">
        <span>{measured < 1 ? `Distances: ${percent(measured, 0)} %` : `Step ${count(steps)}`}</span>
        {measured === 1 && (
          <button class="pick push" onClick={() => onRun(!running)}>
            {running ? "Stop" : "Continue"}
          </button>
        )}
      </div>
      <span class="sr" role="status">
        {running || steps === 0 ? "" : steps < STEPS ? "Stopped" : "The layout is done"}
      </span>
      <p class="note">What is near stays near. How large groups are, and how far apart, says nothing.</p>
    </div>
  );
}
