// Log directories that could not be read, and why.

import type { Status } from "../../api/board";

export interface TroubledDirectories {
  /** They do not exist, which is no damage: the name may be wrong, or nothing has been logged yet. */
  readonly missing: readonly string[];
  readonly unreadable: readonly string[];
}

/** Messages of the status, by kind. */
export function troubledDirectories(status: Pick<Status, "problems"> | null): TroubledDirectories {
  const { codes, messages } = status?.problems ?? { codes: [], messages: [] };
  const isMissing = (i: number): boolean => codes[i] === "not_found";
  return { missing: messages.filter((_, i) => isMissing(i)), unreadable: messages.filter((_, i) => !isMissing(i)) };
}
