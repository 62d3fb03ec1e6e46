// The names that people gave to runs. annotations.ts loads them.
import { signal } from "@preact/signals";

/** By run; only runs that have another name. */
export const titles = signal<ReadonlyMap<string, string>>(new Map());

/** The name that a person gave to the run, or its own. */
export const titleOf = (run: string): string => titles.value.get(run) ?? run;
