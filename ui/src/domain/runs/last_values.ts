// The last values of the metrics that a run filter speaks about: `acc>0.9` needs them of every run.
import { lastValuesShape } from "../../api/scalars";
import { toNumber } from "../../api/shape";
import { effect, signal } from "@preact/signals";
import { getJson } from "../../api/client";
import { dataVersion } from "../live/live";

/** By metric, then by run. A metric that is not there yet has not been answered. */
export const lastValues = signal<ReadonlyMap<string, ReadonlyMap<string, number>>>(new Map());

/** Asks for the metrics that `wanted` names, again whenever the logs change. */
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
      () => undefined, // The next change asks again; until then the filter lets everything pass.
    );
    return () => void version;
  });
}
