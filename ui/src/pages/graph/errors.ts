// Errors of layers, at the boxes that hold the nodes that compute them. Pure.
import type { SidesAnswer } from "../layers/data";
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
