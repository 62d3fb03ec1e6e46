// What `compare --verify` measured: the end of the network with parts of the compressed model in float.
import { toNumber, type WireNumber } from "../../api/wire";

export interface VerifiedAnswer {
  summary: string;
  ends: string[];
  samples: number;
  texts: string[];
  parts: { layers: string[]; tensors: string[] }[];
  sqnr_db: WireNumber[];
  gains_db: WireNumber[];
  why_not: string[];
  /** Of the run whose parts are worth keeping in float. */
  best: number | null;
}

/** What is in float of one layer: its weights, its output, or both. */
export interface FloatParts {
  readonly layer: string;
  readonly tensors: readonly string[]; // "weight", "output".
}

export interface VerifiedRun {
  readonly text: string;
  readonly sqnr: number | null; // Infinite when exact, −200 when lost; null when it could not be run.
  readonly gain: number | null;
  readonly whyNot: string;
}

/** The parts that are worth keeping in float, layer by layer, in the order in which they were found. */
export function bestParts(answer: VerifiedAnswer): FloatParts[] {
  const parts = answer.best === null ? undefined : answer.parts[answer.best];
  const byLayer = new Map<string, string[]>();
  parts?.layers.forEach((layer, i) => byLayer.set(layer, [...(byLayer.get(layer) ?? []), parts.tensors[i] ?? ""]));
  return [...byLayer].map(([layer, tensors]) => ({ layer, tensors }));
}

/** "output and weights". */
export function tensorsText(tensors: readonly string[]): string {
  return tensors.map((tensor) => (tensor === "weight" ? "weights" : tensor)).join(" and ");
}

export function runsOf(answer: VerifiedAnswer): VerifiedRun[] {
  const number = (value: WireNumber | undefined): number | null => (value === undefined || value === null ? null : toNumber(value));
  return answer.texts.map((text, i) => ({ text, sqnr: number(answer.sqnr_db[i]), gain: number(answer.gains_db[i]), whyNot: answer.why_not[i] ?? "" }));
}
