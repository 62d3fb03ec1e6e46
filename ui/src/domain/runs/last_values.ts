// The last values of metrics in all runs. Run filters such as `acc>0.9` need them.
import { lastValuesShape } from "../../api/scalars";
import { toNumber } from "../../api/shape";
import { effect, signal } from "@preact/signals";
import { getJson } from "../../api/client";
import { dataVersion } from "../live/live";

/** Values by metric, then by run. A missing metric has not been loaded yet. */
export const lastValues = signal<ReadonlyMap<string, ReadonlyMap<string, number>>>(new Map());

/** Requests the metrics that `wanted` names, and again whenever the logs change. */
export function followLastValues(wanted: () => readonly string[]): void {
  let newest = 0;
  effect(() => {
    const metrics = [...new Set(wanted())];
    const version = dataVersion.value;
    newest += 1;
    const mine = newest;
    if (metrics.length === 0) return;
    void Promise.all(metrics.map((metric) => getJson(lastValuesShape, "scalars/last", { contains: metric }))).then(
      (responses) => {
        if (mine !== newest) return;
        lastValues.value = new Map(
          metrics.map((metric, i) => [
            metric,
            new Map(responses[i]?.runs.map((run, r) => [run, toNumber(responses[i]?.values[r] ?? null)])),
          ]),
        );
      },
      () => undefined, // On failure, the next change requests them again. Until then, the filter accepts all runs.
    );
    return () => void version;
  });
}
