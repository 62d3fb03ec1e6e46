// The results of `compare --verify`: output SQNR with parts of the variant restored to float.

import type { VerifiedResponse } from "../../api/compression/layers";
import { type WireNumber, toNumber } from "../../api/shape";

/** The restored parts of one layer: the weights, the output, or both. */
export interface FloatParts {
  readonly layer: string;
  readonly tensors: readonly string[]; // Names of parts: "weight", "output".
}

export interface VerifiedRun {
  readonly text: string;
  // The output SQNR in dB. Infinity if exact, −200 if lost; null if the model could not be run.
  readonly sqnr: number | null;
  readonly gain: number | null;
  readonly whyNot: string;
}

/** The parts to keep in float, grouped by layer, in the order in which verification found them. */
export function bestParts(response: VerifiedResponse): FloatParts[] {
  const parts = response.best === null ? undefined : response.parts[response.best];
  const byLayer = new Map<string, string[]>();
  parts?.layers.forEach((layer, i) => byLayer.set(layer, [...(byLayer.get(layer) ?? []), parts.tensors[i] ?? ""]));
  return [...byLayer].map(([layer, tensors]) => ({ layer, tensors }));
}

/** The names of the parts as text: "output and weights". */
export function tensorsText(tensors: readonly string[]): string {
  return tensors.map((tensor) => (tensor === "weight" ? "weights" : tensor)).join(" and ");
}

export function runsOf(response: VerifiedResponse): VerifiedRun[] {
  const number = (value: WireNumber | undefined): number | null =>
    value === undefined || value === null ? null : toNumber(value);
  return response.texts.map((text, i) => ({
    text,
    sqnr: number(response.sqnr_db[i]),
    gain: number(response.gains_db[i]),
    whyNot: response.why_not[i] ?? "",
  }));
}
