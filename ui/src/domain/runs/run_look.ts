// The look of each run, the same in every chart and list. run_colours.ts chooses it.
import { signal } from "@preact/signals";
import { ownLook, type RunLook } from "./look_choice";

export type { RunLook } from "./look_choice";

/** By run. Runs that are not in it look as their name alone decides. */
export const looks = signal<ReadonlyMap<string, RunLook>>(new Map());

export function lookOf(run: string): RunLook {
  return looks.value.get(run) ?? ownLook(run);
}
