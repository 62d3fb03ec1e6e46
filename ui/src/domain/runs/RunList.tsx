// Which runs are shown: filter, tick, or only this one. Choices are in the address.
import { computed, signal } from "@preact/signals";
import type { JSX } from "preact";
import { count, exact, plural, steady } from "../../base/text/format";
import { inNaturalOrder } from "../../base/text/natural";
import { parseRunFilter, passes } from "./run_filter";
import { damagedRuns } from "../live/damaged";
import { followLastValues, lastValues } from "./last_values";
import { listOf, listText, query, setQuery } from "../../base/address";
import { RunKey } from "./RunKey";
import { VirtualList } from "../../widgets/VirtualList";

export const allRuns = signal<readonly string[]>([]);

/** The runs that a page is about, in the order a reader expects. */
export function setRuns(runs: readonly string[]): void {
  allRuns.value = inNaturalOrder(runs);
}

export const runFilter = computed(() => parseRunFilter(query.value.get("runs") ?? ""));

const hidden = computed(() => new Set(listOf(query.value.get("hide"))));

followLastValues(() => runFilter.value.conditions.map(({ metric }) => metric));

export const filteredRuns = computed(() => {
  const { patterns, conditions, problem } = runFilter.value;
  const known = { patterns, problem, conditions: conditions.filter(({ metric }) => lastValues.value.has(metric)) };
  return allRuns.value.filter((run) => passes(known, run, (metric) => lastValues.value.get(metric)?.get(run) ?? null));
});

// More lines than this in one chart cannot be told apart; one click shows up to MAX_SHOWN, which tells
// how wide they spread.
const SHOWN_BY_ITSELF = 200;
const MAX_SHOWN = 1000;

const wantedRuns = computed(() => {
  const only = query.value.get("only");
  return filteredRuns.value.filter((run) => (only !== null ? run === only : !hidden.value.has(run)));
});

export const shownRuns = computed(() =>
  wantedRuns.value.slice(0, query.value.has("more_runs") ? MAX_SHOWN : SHOWN_BY_ITSELF),
);

function toggle(run: string): void {
  const next = new Set(hidden.value);
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
        {(hidden.value.size > 0 || query.value.has("only")) && (
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
            <RunKey run={run} />
            <span class="run-name">
              <span class="name tail" title={run}>
                <bdi>{run}</bdi>
              </span>
              <Damage run={run} />
            </span>
            {last && <Last last={last} run={run} />}
            <button class="link only" title="Show only this run" onClick={() => setQuery({ only: run, hide: null })}>
              only
            </button>
          </label>
        )}
      />
    </aside>
  );
}
