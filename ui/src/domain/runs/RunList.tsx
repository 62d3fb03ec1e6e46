// Which runs are shown: filter, tick, or only this one. Choices are in the address.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { count, exact, plural, steady } from "../../base/text/format";
import { damagedRuns } from "../live/damaged";
import { listText, query, setQuery } from "../../base/address";
import { RunKey } from "./RunKey";
import {
  allRuns,
  filteredRuns,
  hiddenRuns,
  MAX_SHOWN,
  runFilter,
  SHOWN_BY_ITSELF,
  shownRuns,
  wantedRuns,
} from "./shown_runs";
import { ColourDialog } from "./ColourDialog";
import { Name } from "../../widgets/Name";
import { VirtualList } from "../../widgets/VirtualList";

function toggle(run: string): void {
  const next = new Set(hiddenRuns.value);
  if (!next.delete(run)) next.add(run);
  setQuery({ hide: listText([...next]), only: null });
}

/** The last value of a tag in each run. */
export interface LastOf {
  readonly tag: string;
  readonly values: ReadonlyMap<string, number>;
}

/** That some of a run is missing, where it is chosen. */
function Damage({ run }: { run: string }): JSX.Element | null {
  const lost = damagedRuns.value.get(run);
  return lost === undefined ? null : (
    <span class="verdict warn" title={`${lost} could not be read; the rest is shown`}>
      <span class="sr">damaged</span>
    </span>
  );
}

function Last({ last, run }: { last: LastOf; run: string }): JSX.Element | null {
  const value = last.values.get(run);
  if (value === undefined) return <span />;
  return (
    <span class={Number.isFinite(value) ? "num dim" : "num bad"} title={`${last.tag}: ${exact(value)}`}>
      {steady(value)}
    </span>
  );
}

export function RunList({ last = null }: { last?: LastOf | null }): JSX.Element {
  const shown = new Set(shownRuns.value);
  const [coloured, setColoured] = useState<string | null>(null);
  return (
    <aside class="runs" aria-label="Runs">
      <input
        class="field"
        aria-label="Filter runs"
        placeholder="Filter: resnet acc>0.9"
        title="Words are regular expressions; conditions are about the last value of a tag"
        type="search"
        value={query.value.get("runs") ?? ""}
        onInput={(event) => setQuery({ runs: event.currentTarget.value }, "replace")}
      />
      <div class="runs-head note">
        <span>
          {count(shown.size)} of {plural(allRuns.value.length, "run")}
        </span>
        {wantedRuns.value.length > SHOWN_BY_ITSELF && (
          <button class="link" onClick={() => setQuery({ more_runs: query.value.has("more_runs") ? null : "1" })}>
            Show {count(query.value.has("more_runs") ? SHOWN_BY_ITSELF : Math.min(MAX_SHOWN, wantedRuns.value.length))}
          </button>
        )}
        {(hiddenRuns.value.size > 0 || query.value.has("only")) && (
          <button class="link" onClick={() => setQuery({ hide: null, only: null })}>
            Show all
          </button>
        )}
        {last && (
          <span class="tail last-of" title={`The last value of ${last.tag}`}>
            <bdi>{last.tag}</bdi>
          </span>
        )}
      </div>
      {runFilter.value.problem && <p class="note bad">{runFilter.value.problem}</p>}
      <VirtualList
        label="Runs"
        items={filteredRuns.value}
        rowHeight={28}
        keyOf={(run) => run}
        render={(run) => (
          <label class="run">
            <input type="checkbox" checked={shown.has(run)} onChange={() => toggle(run)} />
            <button
              class="colour"
              aria-label={`Colour of ${run}`}
              title="Choose the colour"
              onClick={() => setColoured(run)}
            >
              <RunKey run={run} />
            </button>
            <span class="run-name">
              <Name name={run} />
              <Damage run={run} />
            </span>
            {last && <Last last={last} run={run} />}
            <button class="link only" title="Show only this run" onClick={() => setQuery({ only: run, hide: null })}>
              only
            </button>
          </label>
        )}
      />
      {coloured !== null && <ColourDialog run={coloured} onClose={() => setColoured(null)} />}
    </aside>
  );
}
