// Data that a component requests from the server, with its state: loading, loaded, or failed. Old data stays visible
// until newer data arrives.
import { signal, type ReadonlySignal } from "@preact/signals";
import { useLayoutEffect, useMemo } from "preact/hooks";
import { ApiError } from "../../api/client";
import { dataVersion } from "./live";

export interface Loaded<T> {
  /** The newest data that arrived. While `stale` is true, this data is from before the running request. */
  readonly data: T | null;
  readonly error: ApiError | null;
  readonly stale: boolean;
}

export interface Resource<T> {
  readonly state: ReadonlySignal<Loaded<T>>;
  readonly retry: () => void;
}

const nothing = { data: null, error: null, stale: true } as const;

/**
 * Calls `load` when `key` changes, when the logs change, and on retry. A request whose result is no longer needed is
 * cancelled.
 */
export function useResource<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  options: { live?: boolean } = {},
): Resource<T> {
  const slot = useMemo(() => ({ state: signal<Loaded<T>>(nothing), attempt: signal(0) }), []);
  const version = options.live === false ? 0 : dataVersion.value;
  const attempt = slot.attempt.value;
  // A layout effect, so that the request is sent before the frame is painted.
  useLayoutEffect(() => {
    const cancel = new AbortController();
    slot.state.value = { ...slot.state.peek(), stale: true };
    load(cancel.signal).then(
      (data) => {
        if (!cancel.signal.aborted) slot.state.value = { data, error: null, stale: false };
      },
      (problem: unknown) => {
        if (cancel.signal.aborted) return;
        const error = problem instanceof ApiError ? problem : new ApiError("internal", String(problem));
        slot.state.value = { data: slot.state.peek().data, error, stale: false };
      },
    );
    return () => cancel.abort();
  }, [key, version, attempt]);
  return { state: slot.state, retry: () => (slot.attempt.value += 1) };
}
