// The names of runs where there is little room: what tells the runs of the page apart.
import { computed } from "@preact/signals";
import { distinctNames } from "../../base/text/distinct";
import { titles } from "./run_titles";
import { allRuns } from "./shown_runs";

/** Event files that lie in the log directory itself are the run "." of every program. */
const TOP = ".";

const distinct = computed(() => distinctNames(allRuns.value));

const [MIN_WIDTH, MAX_WIDTH] = [264, 416]; // Pixels of the list of runs.
const AROUND = 144; // Pixels of the list that the name does not use.
const LETTER = 7.2;

/** As wide a list as the names need to be told apart. */
export const listWidth = computed(() => {
  if (allRuns.value.length < 2) return MIN_WIDTH;
  const longest = allRuns.value.reduce((most, run) => Math.max(most, shownNameOf(run).length), 0);
  return Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, AROUND + LETTER * longest));
});

/** The name that a person gave to the run, or its own without what all runs beside it have in common. */
export const shownNameOf = (run: string): string =>
  titles.value.get(run) ?? (run === TOP ? ". (log directory)" : (distinct.value.get(run) ?? run));
