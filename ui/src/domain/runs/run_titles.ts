// The names that users gave to runs. annotations.ts loads them.
import { signal } from "@preact/signals";

/** The names by run; only runs that were renamed. */
export const titles = signal<ReadonlyMap<string, string>>(new Map());

/** The name that a user gave to the run, or its own name. */
export const titleOf = (run: string): string => titles.value.get(run) ?? run;
