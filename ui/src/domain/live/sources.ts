// The state of buckets that the logs come from. Without a bucket nothing is asked.

import { signal } from "@preact/signals";
import { type Sources, sourcesShape, type Status } from "../../api/board";
import { getJson } from "../../api/client";

const ASK_EVERY_MS = 5000;

export const sources = signal<Sources | null>(null);

let timer: ReturnType<typeof setInterval> | undefined;

/** Begins to ask when a log directory is in a bucket. */
export function watchSources(status: Pick<Status, "logdirs">): void {
  if (timer !== undefined || !status.logdirs.paths.some((path) => /^(s3|gs):/.test(path))) return;
  const ask = async (): Promise<void> => {
    try {
      sources.value = await getJson(sourcesShape, "sources");
    } catch {
      // The header already says that the connection is lost.
    }
  };
  timer = setInterval(() => void ask(), ASK_EVERY_MS);
  void ask();
}
