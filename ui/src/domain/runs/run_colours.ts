// Chooses the looks of the runs that are visible together, unless the user has set a colour. Set colours are stored
// with the run, and also in the address so that links contain them: colours=train/seed-1~3.
import { computed, effect } from "@preact/signals";
import { listOf, listText, query, setQuery } from "../../base/address";
import { repaint } from "../../base/theme";
import { annotatedColours } from "./annotations";
import { chooseLooks, COLOURS, type RunLook } from "./look_choice";
import { looks } from "./run_look";
import { shownRuns } from "./shown_runs";

/** The colours in the address by run, 1 to 8. */
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

/** The colour that the user has set for the run; 0 means that the page chooses the colour. */
export const fixedColourOf = (run: string): number => fixedColours.value.get(run) ?? 0;

/** Sets the colour of a run in the address; null lets the page choose again. */
export function fixColour(run: string, colour: number | null): void {
  const next = new Map(addressColours.value);
  if (colour === null || colour < 1 || colour > COLOURS) next.delete(run);
  else next.set(run, colour);
  setQuery({ colours: listText([...next].map(([name, value]) => `${name}~${value}`)) }, "replace");
}

/** The looks of the visible runs, and of the other runs whose colour was set by the user. */
function chosenLooks(): ReadonlyMap<string, RunLook> {
  const chosen = new Map(chooseLooks(shownRuns.value, fixedColours.value));
  for (const [run, colour] of fixedColours.value) if (!chosen.has(run)) chosen.set(run, { colour, dash: [] });
  return chosen;
}

/**
 * Starts to update the looks when runs or colours change, and to repaint all canvases then, because canvases keep the
 * old colours.
 */
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
