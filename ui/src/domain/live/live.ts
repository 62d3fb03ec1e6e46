// Receives changes of the logs from the server as server-sent events.
import { type Progress, type Status, changeShape, statusShape } from "../../api/board";
import { read } from "../../api/shape";
import { signal } from "@preact/signals";
import { apiUrl, getJson, watchRequests } from "../../api/client";
import { Freshness } from "./freshness";
import { watchSources } from "./sources";

/**
 * The newest snapshot number. It increases when the logs have changed; components that show logs then request their
 * data again.
 */
export const dataVersion = signal(0);

export const progress = signal<Progress | null>(null);
export const status = signal<Status | null>(null);
export const connection = signal<"connecting" | "live" | "lost">("connecting");

// The min time between two refreshes: while files are being read, new snapshots arrive very often.
const CALM_MILLISECONDS = 1000;

// The time after which a hidden page closes its connection. Each connection makes the server list buckets more often.
const HIDDEN_MILLISECONDS = 60_000;

let lastTold = 0;
let pending: ReturnType<typeof setTimeout> | undefined;

function tell(snapshot: number): void {
  if (pending !== undefined) clearTimeout(pending);
  const wait = Math.max(0, lastTold + CALM_MILLISECONDS - performance.now());
  pending = setTimeout(
    () => {
      lastTold = performance.now();
      freshness.refreshed(snapshot);
      dataVersion.value = snapshot;
      void refreshStatus();
    },
    lastTold === 0 ? 0 : wait,
  );
}

const freshness = new Freshness(tell);

export async function refreshStatus(): Promise<void> {
  try {
    status.value = await getJson(statusShape, "status");
    progress.value = status.value.progress;
    watchSources(status.value);
  } catch {
    connection.value = "lost";
  }
}

/** Increases when names, notes, tags or views were changed, in this or in another window. */
export const annotationsVersion = signal(0);

/** Call this before the first request is sent. */
export function listenToChanges(): void {
  watchRequests(() => freshness.ask());
  let greeted = false;
  const onChange = (event: MessageEvent<string>): void => {
    const change = read(changeShape, JSON.parse(event.data), "events");
    progress.value = change.progress;
    tell(change.snapshot);
  };
  const onHello = (event: MessageEvent<string>): void => {
    if (greeted) {
      annotationsVersion.value += 1; // Changes may have been missed while the connection was lost.
      return onChange(event);
    }
    greeted = true;
    const change = read(changeShape, JSON.parse(event.data), "events");
    progress.value = change.progress;
    freshness.announce(change.snapshot);
  };
  const connect = (): EventSource => {
    const source = new EventSource(apiUrl("events"));
    source.addEventListener("open", () => (connection.value = "live"));
    source.addEventListener("error", () => (connection.value = "lost")); // The browser reconnects by itself.
    source.addEventListener("hello", onHello);
    source.addEventListener("change", onChange);
    source.addEventListener("annotations", () => (annotationsVersion.value += 1));
    source.addEventListener("resync", onChange);
    return source;
  };
  let source: EventSource | undefined = connect();
  let closing: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(closing);
    if (!document.hidden) {
      source ??= connect();
      return;
    }
    closing = setTimeout(() => {
      source?.close();
      source = undefined;
    }, HIDDEN_MILLISECONDS);
  });
}
