// The state of the buckets that logs are copied from. Nothing is requested if no log directory is in a bucket.

import { signal } from "@preact/signals";
import { type Sources, sourcesShape, type Status } from "../../api/board";
import { getJson } from "../../api/client";

const ASK_EVERY_MS = 5000;

export const sources = signal<Sources | null>(null);

let timer: ReturnType<typeof setInterval> | undefined;

/** Starts the requests if a log directory is in a bucket. */
export function watchSources(status: Pick<Status, "logdirs">): void {
  if (timer !== undefined || !status.logdirs.paths.some((path) => /^(s3|gs):/.test(path))) return;
  const ask = async (): Promise<void> => {
    try {
      sources.value = await getJson(sourcesShape, "sources");
    } catch {
      // Ignores the error: the header already shows that the connection is lost.
    }
  };
  timer = setInterval(() => void ask(), ASK_EVERY_MS);
  void ask();
}
