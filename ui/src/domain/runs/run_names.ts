// Short names of runs for places with little space. They contain the parts that distinguish the runs of the page.
import { computed } from "@preact/signals";
import { distinctNames } from "../../base/text/distinct";
import { titles } from "./run_titles";
import { allRuns } from "./shown_runs";

/** The name of the run whose event files are in the log directory itself. */
const TOP = ".";

const distinct = computed(() => distinctNames(allRuns.value));

const [MIN_WIDTH, MAX_WIDTH] = [264, 416]; // Pixels of the list of runs.
const AROUND = 144; // Pixels of the list that the name does not use.
const LETTER = 7.2;

/** The width of the list of runs. It is as large as the names need, within limits. */
export const listWidth = computed(() => {
  if (allRuns.value.length < 2) return MIN_WIDTH;
  const longest = allRuns.value.reduce((most, run) => Math.max(most, shownNameOf(run).length), 0);
  return Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, AROUND + LETTER * longest));
});

/**
 * The name that a user gave to the run. Without such a name, the run's own name without the parts that all runs in the
 * same folder have in common.
 */
export const shownNameOf = (run: string): string =>
  titles.value.get(run) ?? (run === TOP ? ". (log directory)" : (distinct.value.get(run) ?? run));
