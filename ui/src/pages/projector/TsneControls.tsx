// How many neighbours a point is to keep, how far the layout is, and what may be read from it.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { count, percent } from "../../lib/format";
import { setQuery } from "../../state/location";
import { perplexityOf, STEPS } from "./tsne";
import type { Tsne } from "./useTsne";

const USUAL_PERPLEXITY = 30;
const MOST_PERPLEXITY = 100;

/** What is no perplexity is the usual one. */
export function readPerplexity(text: string | null): number {
  const asked = Number(text ?? NaN);
  return Number.isInteger(asked) && asked >= 2 && asked <= MOST_PERPLEXITY ? asked : USUAL_PERPLEXITY;
}

export function TsneControls({ tsne, perplexity }: { tsne: Tsne; perplexity: number }): JSX.Element {
  const { steps, measured, running, trouble, sampled, onRun } = tsne;
  const [held, setHeld] = useState(perplexity); // While it is dragged nothing begins anew.
  useEffect(() => setHeld(perplexity), [perplexity]);
  if (trouble !== null) return <p class="trouble" role="alert">{trouble}</p>;
  const most = Math.max(2, Math.min(MOST_PERPLEXITY, Math.floor(perplexityOf(MOST_PERPLEXITY, sampled))));
  return (
    <div class="tsne" aria-busy={running}>
      <label class="label">Perplexity
        <input type="range" min="2" max={most} value={Math.min(held, most)} title="About how many neighbours each point is to keep" onInput={(event) => setHeld(Number(event.currentTarget.value))}
          onChange={(event) => setQuery({ perplexity: Number(event.currentTarget.value) === USUAL_PERPLEXITY ? null : event.currentTarget.value })} />
        <output>{Math.min(held, most)}</output>
      </label>
      <div class="label">
        <span>{measured < 1 ? `Distances: ${percent(measured, 0)} %` : `Step ${count(steps)}`}</span>
        {measured === 1 && <button class="pick push" onClick={() => onRun(!running)}>{running ? "Stop" : "Continue"}</button>}
      </div>
      <span class="sr" role="status">{running || steps === 0 ? "" : steps < STEPS ? "Stopped" : "The layout is done"}</span>
      <p class="note">What is near stays near. How large groups are, and how far apart, says nothing.</p>
    </div>
  );
}
