// The steps of a layer that was logged at several steps of a training, and the shown step.
import { distributionsShape, type Distributions } from "../../api/histograms";
import { getJson } from "../../api/client";
import { query } from "../../base/address";
import { useResource } from "../../domain/live/resource";
import type { Layer } from "../../domain/layers/layers";
import { allSteps, stepAt } from "./step_choice";

export interface Steps {
  /** The steps to choose from; empty if there are fewer than two. */
  readonly all: readonly number[];
  readonly shown: number | null;
  /** The steps to request for A and B. null means the last step. */
  readonly of: readonly [number | null, number | null];
}

const LAST: Steps = { all: [], shown: null, of: [null, null] };

/** `last` is the largest step that was drawn. If it is 0, the layer was not logged over the steps of a training. */
export function useSteps(layer: Layer, last: number): Steps {
  const wanted = last > 0;
  const ask = ({ run, tag }: Layer["a"], signal: AbortSignal): Promise<Distributions> =>
    getJson(distributionsShape, "distributions", { run, tag }, signal);
  const { data } = useResource(
    wanted ? `steps ${layer.a.run}\0${layer.a.tag}\0${layer.b.run}\0${layer.b.tag}` : "none",
    (signal) => (wanted ? Promise.all([ask(layer.a, signal), ask(layer.b, signal)]) : Promise.resolve(null)),
  ).state.value;
  if (!data) return LAST;
  const [a, b] = [data[0].steps, data[1].steps];
  const all = allSteps(a, b);
  if (all.length < 2) return LAST;
  const text = query.value.get("step");
  const chosen = text === null ? null : Number(text);
  if (chosen === null || !Number.isFinite(chosen)) return { all, shown: null, of: [null, null] };
  return { all, shown: chosen, of: [stepAt(a, chosen), stepAt(b, chosen)] };
}
