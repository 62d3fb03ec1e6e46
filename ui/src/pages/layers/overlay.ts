// Requests the histograms of a layer's tensor in A and B, in the same bins.
import { type OverlayResponse, overlayShape } from "../../api/histograms";
import { toNumber } from "../../api/shape";
import { useMemo } from "preact/hooks";
import { postJson, type ApiError } from "../../api/client";
import type { HistogramInput } from "../../charts/histogram/layout";
import { useResource } from "../../domain/live/resource";
import type { Layer } from "../../domain/layers/layers";

export interface Overlay {
  readonly data: OverlayResponse | null;
  readonly error: ApiError | null;
  readonly input: HistogramInput | null;
  /** Min and max of the values of B. */
  readonly clip: readonly [number, number] | null;
  readonly retry: () => void;
}

/** `steps` are the steps of A and B whose histograms are requested. null means the last logged histogram. */
export function useOverlay(layer: Layer, steps: readonly [number | null, number | null] = [null, null]): Overlay {
  const body = {
    series: [
      [layer.a.run, layer.a.tag, steps[0]],
      [layer.b.run, layer.b.tag, steps[1]],
    ],
  };
  const { state, retry } = useResource(JSON.stringify(body), (signal) =>
    postJson(overlayShape, "histograms/overlay", body, signal),
  );
  const { data, error } = state.value;
  const input = useMemo(
    () =>
      data
        ? {
            edges: data.edges.map(toNumber),
            a: data.series[0]?.counts?.map(toNumber) ?? null,
            b: data.series[1]?.counts?.map(toNumber) ?? null,
          }
        : null,
    [data],
  );
  const sideB = data?.series[1];
  const clip =
    sideB?.min !== undefined && sideB.max !== undefined ? ([toNumber(sideB.min), toNumber(sideB.max)] as const) : null;
  return { data, error, input, clip, retry };
}
