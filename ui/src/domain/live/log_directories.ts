// Log directories that could not be read, with the reason.

import type { Status } from "../../api/board";

export interface TroubledDirectories {
  /** Log directories that do not exist. This is not damage: the name may be wrong, or nothing has been logged yet. */
  readonly missing: readonly string[];
  readonly unreadable: readonly string[];
}

/** The messages of the server's status, grouped by kind. */
export function troubledDirectories(status: Pick<Status, "problems"> | null): TroubledDirectories {
  const { codes, messages } = status?.problems ?? { codes: [], messages: [] };
  const isMissing = (i: number): boolean => codes[i] === "not_found";
  return { missing: messages.filter((_, i) => isMissing(i)), unreadable: messages.filter((_, i) => !isMissing(i)) };
}
