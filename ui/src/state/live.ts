// What changes on disk reaches the page over server-sent events.
import { signal } from "@preact/signals";
import { apiUrl, getJson } from "../api/client";
import type { Change, Progress, Status } from "../api/types";

/** Grows when the logs have changed; everything that shows them asks again. */
export const dataVersion = signal(0);

export const progress = signal<Progress | null>(null);
export const status = signal<Status | null>(null);
export const connection = signal<"connecting" | "live" | "lost">("connecting");

// While files are still being read every snapshot is newer than the last; asking at most this often
// keeps the page calm.
const CALM_MILLISECONDS = 1000;

let lastTold = 0;
let pending: ReturnType<typeof setTimeout> | undefined;

function tell(snapshot: number): void {
  if (pending !== undefined) clearTimeout(pending);
  const wait = Math.max(0, lastTold + CALM_MILLISECONDS - performance.now());
  pending = setTimeout(() => {
    lastTold = performance.now();
    dataVersion.value = snapshot;
    void refreshStatus();
  }, lastTold === 0 ? 0 : wait);
}

export async function refreshStatus(): Promise<void> {
  try {
    status.value = await getJson<Status>("status");
    progress.value = status.value.progress;
  } catch {
    connection.value = "lost";
  }
}

export function listenToChanges(): void {
  const source = new EventSource(apiUrl("events"));
  source.addEventListener("open", () => (connection.value = "live"));
  source.addEventListener("error", () => (connection.value = "lost")); // The browser tries again.
  const onChange = (event: MessageEvent<string>): void => {
    const change = JSON.parse(event.data) as Change;
    progress.value = change.progress;
    tell(change.snapshot);
  };
  source.addEventListener("hello", onChange);
  source.addEventListener("change", onChange);
  source.addEventListener("resync", onChange);
}
