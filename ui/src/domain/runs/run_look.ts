// The look of each run: chosen for the runs that are visible together, unless the user has fixed its colour. The
// address holds fixed colours: colours=train/seed-1~3.
import { computed, effect } from "@preact/signals";
import { listOf, listText, query, setQuery } from "../../base/address";
import { repaint } from "../../base/theme";
import { chooseLooks, COLOURS, ownLook, type RunLook } from "./look_choice";
import { shownRuns } from "./shown_runs";

export type { RunLook } from "./look_choice";

/** By run, 1 to 8. */
const chosenColours = computed((): ReadonlyMap<string, number> => {
  const entries = listOf(query.value.get("colours")).flatMap((item): [string, number][] => {
    const [, run, colour] = /^(.*)~([1-8])$/.exec(item) ?? [];
    return run === undefined ? [] : [[run, Number(colour)]];
  });
  return new Map(entries);
});

const looks = computed(() => chooseLooks(shownRuns.value, chosenColours.value));

export function lookOf(run: string): RunLook {
  const chosen = chosenColours.value.get(run);
  return looks.value.get(run) ?? (chosen === undefined ? ownLook(run) : { colour: chosen, dash: [] });
}

export const colourIsFixed = (run: string): boolean => chosenColours.value.has(run);

/** Fixes the colour of a run; null lets the page choose again. */
export function fixColour(run: string, colour: number | null): void {
  const next = new Map(chosenColours.value);
  if (colour === null || colour < 1 || colour > COLOURS) next.delete(run);
  else next.set(run, colour);
  setQuery({ colours: listText([...next].map(([name, value]) => `${name}~${value}`)) }, "replace");
}

// Canvases keep the colours that they were painted with.
let painted: ReadonlyMap<string, RunLook> = new Map();
effect(() => {
  const now = looks.value;
  const moved = [...painted].some(([run, look]) => {
    const other = now.get(run);
    return other && (other.colour !== look.colour || other.dash !== look.dash);
  });
  painted = now;
  if (moved) repaint();
});
