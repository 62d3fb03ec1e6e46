// The list of runs: users filter it, and tick the runs to show. The address holds the choice.
import type { JSX } from "preact";
import { Suspended } from "../../widgets/Suspended";
import { useState } from "preact/hooks";
import { count, exact, plural, steady } from "../../base/text/format";
import { damagedRuns } from "../live/damaged";
import { query, setQuery } from "../../base/address";
import { RunKey } from "./RunKey";
import {
  allRuns,
  filteredRuns,
  hiddenRuns,
  MAX_SHOWN,
  runFilter,
  SHOWN_BY_ITSELF,
  shownRuns,
  toggleRun,
  wantedRuns,
} from "./shown_runs";
import { annotationOf, archivedRuns } from "./annotations";
import { shownNameOf } from "./run_names";
import { titleOf } from "./run_titles";
import { Name } from "../../widgets/Name";
import { VirtualList } from "../../widgets/VirtualList";

/** The last value of a tag in each run. */
export interface LastOf {
  readonly tag: string;
  readonly values: ReadonlyMap<string, number>;
}

/** The mark of a damaged run. */
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

/** The tooltip of a run: its full name; for renamed runs also the original name. */
const runTitle = (run: string): string => (titleOf(run) === run ? run : `${titleOf(run)} (run ${run})`);

export function RunList({ last = null }: { last?: LastOf | null }): JSX.Element {
  const shown = new Set(shownRuns.value);
  const [edited, setEdited] = useState<readonly string[] | null>(null);
  const archivedHere = allRuns.value.filter((run) => archivedRuns.value.has(run)).length;
  return (
    <aside class="runs" aria-label="Runs">
      <input
        class="field"
        aria-label="Filter runs"
        placeholder="Filter runs: resnet acc>0.9"
        title="Words are regular expressions that match names and #tags of runs; conditions such as acc>0.9 compare the last value of a logged tag"
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
        {archivedHere > 0 && (
          <button
            class="link"
            aria-pressed={query.value.has("archived")}
            onClick={() => setQuery({ archived: query.value.has("archived") ? null : "1" })}
          >
            {query.value.has("archived") ? "Hide" : "Show"} {count(archivedHere)} archived
          </button>
        )}
        {shown.size > 1 && (
          <button
            class="link"
            title="Add tags to the shown runs, or archive them"
            onClick={() => setEdited(shownRuns.value)}
          >
            Edit
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
            <input type="checkbox" aria-label={titleOf(run)} checked={shown.has(run)} onChange={() => toggleRun(run)} />
            <button
              class="colour"
              aria-label={`Colour of ${run}`}
              title="Edit colour, name, note and tags"
              onClick={() => setEdited([run])}
            >
              <RunKey run={run} />
            </button>
            <span class="run-name">
              <Name name={shownNameOf(run)} title={runTitle(run)} />
              {annotationOf(run).tags.map((tag) => (
                <span key={tag} class="run-tag">
                  {tag}
                </span>
              ))}
              {annotationOf(run).note !== "" && (
                <span class="dim" title={annotationOf(run).note} aria-label="Has a note">
                  ✎
                </span>
              )}
              <Damage run={run} />
            </span>
            {last && <Last last={last} run={run} />}
            <span class="run-tools">
              <button
                class="link"
                aria-label={`Edit ${run}`}
                title="Edit name, note, tags and colour, or archive the run"
                onClick={() => setEdited([run])}
              >
                edit
              </button>
              <button class="link only" title="Show only this run" onClick={() => setQuery({ only: run, hide: null })}>
                only
              </button>
            </span>
          </label>
        )}
      />
      {edited !== null && (
        <Suspended
          load={async () => (await import("./RunDialog")).RunDialog}
          render={(RunDialog) => <RunDialog runs={edited} onClose={() => setEdited(null)} />}
        />
      )}
    </aside>
  );
}
