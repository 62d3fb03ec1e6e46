// The runs that a page shows: the runs that match the filter and are ticked. The address holds the choice.
import { computed, signal } from "@preact/signals";
import { listOf, listText, query, setQuery } from "../../base/address";
import { inNaturalOrder } from "../../base/text/natural";
import { annotationOf, archivedRuns } from "./annotations";
import { followLastValues, lastValues } from "./last_values";
import { parseRunFilter, passes } from "./run_filter";

export const allRuns = signal<readonly string[]>([]);

/** The runs that the page has data for, in natural order. */
export function setRuns(runs: readonly string[]): void {
  allRuns.value = inNaturalOrder(runs);
}

export const runFilter = computed(() => parseRunFilter(query.value.get("runs") ?? ""));

export const hiddenRuns = computed(() => new Set(listOf(query.value.get("hide"))));

followLastValues(() => runFilter.value.conditions.map(({ metric }) => metric));

export const filteredRuns = computed(() => {
  const { patterns, conditions, problem } = runFilter.value;
  const archived = query.value.has("archived") ? new Set<string>() : archivedRuns.value;
  const known = { patterns, problem, conditions: conditions.filter(({ metric }) => lastValues.value.has(metric)) };
  return allRuns.value.filter((run) => {
    if (archived.has(run)) return false;
    const { name, tags } = annotationOf(run);
    const texts = [run, name, ...tags.map((tag) => `#${tag}`)];
    return passes(known, texts, (metric) => lastValues.value.get(metric)?.get(run) ?? null);
  });
});

// The max number of runs that are shown by default, because more lines in one chart are hard to distinguish. A click
// shows up to MAX_SHOWN runs, which is enough to see their spread.
export const SHOWN_BY_ITSELF = 200;
export const MAX_SHOWN = 1000;

export const wantedRuns = computed(() => {
  const only = query.value.get("only");
  return filteredRuns.value.filter((run) => (only !== null ? run === only : !hiddenRuns.value.has(run)));
});

const shownByThemselves = computed(() => (query.value.has("more_runs") ? MAX_SHOWN : SHOWN_BY_ITSELF));

/** Runs that the user has ticked although they come after those that are shown by themselves. */
const alsoShown = computed(() => new Set(listOf(query.value.get("also"))));

export const shownRuns = computed(() =>
  wantedRuns.value.filter((run, i) => i < shownByThemselves.value || alsoShown.value.has(run)),
);

/** Shows a hidden run, or hides a shown one. */
export function toggleRun(run: string): void {
  const [hidden, also] = [new Set(hiddenRuns.value), new Set(alsoShown.value)];
  if (shownRuns.value.includes(run)) {
    also.delete(run);
    if (wantedRuns.value.indexOf(run) < shownByThemselves.value) hidden.add(run);
  } else {
    hidden.delete(run);
    const place = filteredRuns.value.filter((other) => !hidden.has(other)).indexOf(run);
    if (place >= shownByThemselves.value) also.add(run);
  }
  setQuery({ hide: listText([...hidden]), also: listText([...also]), only: null });
}
