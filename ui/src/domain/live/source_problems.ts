// Buckets that could not be read, with the reason.

import type { Sources } from "../../api/board";
import { duration } from "../../base/text/format";

/** One line per bucket that cannot be read: "s3://team/runs, last read 12 s ago: access is denied". */
export function sourceProblems(now: Sources | null, seconds: number): readonly string[] {
  if (now === null) return [];
  return now.addresses.flatMap((address, i) => {
    const error = now.errors[i] ?? "";
    const read = now.last_reads[i] ?? null;
    if (error === "") return [];
    return [
      `${address}, ${read === null ? "never read" : `last read ${duration(Math.max(0, seconds - read))} ago`}: ${error}`,
    ];
  });
}
