// Assigns the errors of layers to the boxes that contain the layers' nodes. Pure functions.
import type { SidesResponse } from "../../api/compression/layers";
import { hasLayers, type PairOfVariants } from "../../domain/layers/layers";
import type { LayerError } from "./colours";
import { boxOfPath, type Drawing } from "./data";

export interface PlacedError extends LayerError {
  readonly path: string;
}

/** The first pair of variants that both have logged layers of one model. */
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

/**
 * The path of the layer after `path`, or before it, in the order of errors (worst first). The first layer follows after
 * the last.
 */
export function nextWorst(errors: readonly PlacedError[], path: string | null, by: 1 | -1): string | null {
  const paths = [...new Set([...errors].sort((p, q) => p.sqnr - q.sqnr).map((error) => error.path))];
  const at = paths.findIndex((one) => one === path);
  if (at < 0) return paths[by === 1 ? 0 : paths.length - 1] ?? null;
  return paths[(at + by + paths.length) % paths.length] ?? null;
}
