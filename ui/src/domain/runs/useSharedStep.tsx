// One step for all cards of a page. The address holds the step; users change it with a slider and the arrow keys.
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { count } from "../../base/text/format";
import { extent } from "../../base/math/scale";
import { useKeys } from "../../base/keys";
import { query, setQuery } from "../../base/address";
import type { Series } from "./SeriesPage";

const KEY_STEPS = 20; // The number of key presses from the first step to the last.

function stepNow(): number | null {
  const step = Number(query.value.get("step") ?? NaN);
  return Number.isFinite(step) ? step : null;
}

export interface SharedStep {
  /** The shared step. null means that each card shows its newest step. */
  readonly step: number | null;
  /** The slider; null if there is only one step. */
  readonly slider: (all: readonly Series[]) => JSX.Element | null;
}

export function useSharedStep(): SharedStep {
  const range = useRef<readonly [number, number] | null>(null);
  const step = stepNow();
  const setStep = (next: number): void => {
    const ends = range.current;
    if (ends) setQuery({ step: next >= ends[1] ? null : String(Math.max(ends[0], Math.round(next))) }, "replace");
  };
  const move = (by: number) => (): void => {
    const ends = range.current;
    if (ends) setStep((stepNow() ?? ends[1]) + by * Math.max(1, (ends[1] - ends[0]) / KEY_STEPS));
  };
  useKeys([
    { key: "arrowleft", does: "Earlier step", run: move(-1) },
    { key: "arrowright", does: "Later step", run: move(1) },
    { key: "shift-arrowleft", does: "Go ten steps back", run: move(-10) },
    { key: "shift-arrowright", does: "Go ten steps forward", run: move(10) },
  ]);
  const slider = (all: readonly Series[]): JSX.Element | null => {
    const ends = extent(all.flatMap(({ steps }) => steps));
    range.current = ends;
    return ends && ends[1] > ends[0] ? (
      <label class="label slider">
        All cards at step <output>{step === null ? "newest" : count(step)}</output>
        <input
          type="range"
          min={ends[0]}
          max={ends[1]}
          value={step ?? ends[1]}
          aria-label="Step of all cards"
          onInput={(event) => setStep(Number(event.currentTarget.value))}
        />
      </label>
    ) : null;
  };
  return { step, slider };
}
