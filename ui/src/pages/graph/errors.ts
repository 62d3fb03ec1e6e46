// Errors of layers, at the nodes of the graph that compute them.
import { getJson, postJson, type Params } from "../../api/client";
import { readLayers, type LayersAnswer, type SidesAnswer } from "../layers/data";
import type { LayerError } from "./colours";
import { boxOfPath, type Drawing } from "./data";

export interface PlacedError extends LayerError {
  readonly path: string;
}

export interface PairOfVariants {
  readonly model: string | null;
  readonly a: string;
  readonly b: string;
}

/** The first of the pairs both of whose variants logged layers of the same model. */
export function pairWithLayers(sides: SidesAnswer, pairs: readonly PairOfVariants[]): PairOfVariants | null {
  const has = (variant: string, model: string | null): boolean =>
    sides.variants.some((name, i) => name === variant && (model === null || sides.models[i] === model || sides.models[i] === ""));
  return pairs.find((pair) => pair.a !== pair.b && has(pair.a, pair.model) && has(pair.b, pair.model)) ?? null;
}

export async function loadErrors(source: Params, pairs: readonly PairOfVariants[], signal: AbortSignal): Promise<PlacedError[]> {
  const pair = pairWithLayers(await getJson<SidesAnswer>("compression/sides", {}, signal), pairs);
  if (!pair) return [];
  const answer = await getJson<LayersAnswer>("compression/layers", { a: pair.a, b: pair.b, model: pair.model }, signal);
  const layers = readLayers(answer);
  if (layers.length === 0) return [];
  const { paths } = await postJson<{ paths: (string | null)[] }>("graphs/layers", { ...source, layers: layers.map((layer) => layer.name) }, signal);
  return layers.flatMap((layer, i) => {
    const path = paths[i];
    return path === null || path === undefined ? [] : [{
      path, layer: layer.name, sqnr: layer.sqnr, bound: layer.sqnrIsBound, level: layer.level === "good" ? "" as const : layer.level,
    }];
  });
}

/** The worst error in each visible box. */
export function errorsOfBoxes(drawing: Drawing, errors: readonly PlacedError[]): Map<number, LayerError> {
  const worst = new Map<number, LayerError>();
  for (const error of errors) {
    const box = boxOfPath(drawing, error.path);
    const known = worst.get(box);
    if (box >= 0 && (!known || error.sqnr < known.sqnr)) worst.set(box, error);
  }
  return worst;
}
