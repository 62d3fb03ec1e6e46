// Errors of layers, at the boxes that hold the nodes that compute them. Pure.
import type { SidesResponse } from "../../api/compression/layers";
import { hasLayers, type PairOfVariants } from "../../domain/layers/layers";
import type { LayerError } from "./colours";
import { boxOfPath, type Drawing } from "./data";

export interface PlacedError extends LayerError {
  readonly path: string;
}

/** The first of the pairs both of whose variants logged layers of the same model. */
export function pairWithLayers(sides: SidesResponse, pairs: readonly PairOfVariants[]): PairOfVariants | null {
  return pairs.find((pair) => hasLayers(sides, pair)) ?? null;
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
