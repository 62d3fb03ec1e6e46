// Chooses the looks of the runs that are visible together, unless the user has fixed a colour. Fixed colours are
// stored with the run; the address holds them as well, for sharing: colours=train/seed-1~3.
import { computed, effect } from "@preact/signals";
import { listOf, listText, query, setQuery } from "../../base/address";
import { repaint } from "../../base/theme";
import { annotatedColours } from "./annotations";
import { chooseLooks, COLOURS, type RunLook } from "./look_choice";
import { looks } from "./run_look";
import { shownRuns } from "./shown_runs";

/** Those of the address, by run, 1 to 8. */
const addressColours = computed((): ReadonlyMap<string, number> => {
  const entries = listOf(query.value.get("colours")).flatMap((item): [string, number][] => {
    const [, run, colour] = /^(.*)~([1-8])$/.exec(item) ?? [];
    return run === undefined ? [] : [[run, Number(colour)]];
  });
  return new Map(entries);
});

const fixedColours = computed(
  (): ReadonlyMap<string, number> => new Map([...annotatedColours.value, ...addressColours.value]),
);

/** 0: the page chooses. */
export const fixedColourOf = (run: string): number => fixedColours.value.get(run) ?? 0;

/** Fixes the colour of a run in the address; null lets the page choose again. */
export function fixColour(run: string, colour: number | null): void {
  const next = new Map(addressColours.value);
  if (colour === null || colour < 1 || colour > COLOURS) next.delete(run);
  else next.set(run, colour);
  setQuery({ colours: listText([...next].map(([name, value]) => `${name}~${value}`)) }, "replace");
}

/** The looks of the visible runs, and the fixed colours of the others. */
function chosenLooks(): ReadonlyMap<string, RunLook> {
  const chosen = new Map(chooseLooks(shownRuns.value, fixedColours.value));
  for (const [run, colour] of fixedColours.value) if (!chosen.has(run)) chosen.set(run, { colour, dash: [] });
  return chosen;
}

/** Keeps the looks up to date from now on. Canvases keep the colours that they were painted with, so they are painted
 * again when a run has another look. */
export function followRunColours(): void {
  effect(() => {
    const now = chosenLooks();
    const before = looks.peek();
    looks.value = now;
    const moved = [...before].some(([run, look]) => {
      const other = now.get(run);
      return other && (other.colour !== look.colour || other.dash !== look.dash);
    });
    if (moved) repaint();
  });
}
