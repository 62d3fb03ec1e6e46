// The look of each run. It is the same in every chart and list. run_colours.ts chooses it.
import { signal } from "@preact/signals";
import { ownLook, type RunLook } from "./look_choice";

export type { RunLook } from "./look_choice";

/** The looks by run. If a run is missing here, its look depends only on its name. */
export const looks = signal<ReadonlyMap<string, RunLook>>(new Map());

export function lookOf(run: string): RunLook {
  return looks.value.get(run) ?? ownLook(run);
}
