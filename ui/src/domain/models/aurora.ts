// AURORA with weights that the user chooses. The server computes the score with the default weights. This file uses the
// formula of the server (include/cboard/compression/aurora.h).
import type { Score } from "../../api/compression/table";
import type { Values } from "./gates";

export interface AuroraWeights {
  readonly quality: number;
  readonly throughput: number;
  readonly latency: number;
  readonly energy: number;
  readonly memory: number;
  /** The exponent of the accuracy penalty. It is not a weight, but users edit it beside the weights. */
  readonly penalty: number;
}

export const DEFAULT_WEIGHTS: AuroraWeights = {
  quality: 0.4,
  throughput: 0.2,
  latency: 0.15,
  energy: 0.15,
  memory: 0.1,
  penalty: 10,
};

export const TERMS = [
  { name: "quality", metric: "accuracy", higherIsBetter: true },
  { name: "throughput", metric: "throughput", higherIsBetter: true },
  { name: "latency", metric: "latency_mean_ms", higherIsBetter: false },
  { name: "energy", metric: "energy_consumption_mw", higherIsBetter: false },
  { name: "memory", metric: "memory_usage_mb", higherIsBetter: false },
] as const;

const MIN_COVERAGE = 0.5;
const MAX_RATIO = 64;

export function computeAurora(model: Values, a: string, b: string, weights: AuroraWeights): Score {
  const none = (reason: string, coverage = 0): Score => ({
    score: null,
    coverage,
    kind: "computed",
    reason,
    formula: "v1",
    factors: [],
  });
  const all = TERMS.reduce((sum, term) => sum + weights[term.name], 0);
  if (!(weights.quality > 0)) return none("the weight of quality is 0; a score without quality means nothing");
  const present: { name: string; ratio: number; weight: number }[] = [];
  for (const term of TERMS) {
    const [from, to] = [model.measured(a, term.metric), model.measured(b, term.metric)];
    if (from === null || to === null) {
      if (term.name === "quality") return none(`both models need ${term.metric}, which stands for quality`);
      continue;
    }
    if (!(from > 0 && to > 0 && Number.isFinite(from) && Number.isFinite(to))) {
      return none(`${term.metric} is ${from} and ${to}, and a ratio needs finite values above 0`);
    }
    const ratio = term.higherIsBetter ? to / from : from / to;
    present.push({
      name: term.name,
      ratio: Math.min(MAX_RATIO, Math.max(1 / MAX_RATIO, ratio)),
      weight: weights[term.name],
    });
  }
  const covered = present.reduce((sum, term) => sum + term.weight, 0);
  const coverage = covered / all;
  if (coverage < MIN_COVERAGE - 1e-9)
    return none(`what was logged covers ${Math.round(coverage * 100)} % of the weights, and it takes 50 %`, coverage);
  const factors = present.map(({ name, ratio, weight }) => ({
    name,
    factor: Math.exp((weight / covered) * Math.log(ratio)),
    weight: weight / all,
  }));
  const penalty = Math.exp(-weights.penalty * Math.max(0, 1 - (present[0]?.ratio ?? 1)));
  return {
    score: factors.reduce((product, { factor }) => product * factor, penalty),
    coverage,
    kind: "computed",
    reason: null,
    formula: "v1",
    factors: [...factors, { name: "penalty", factor: penalty, weight: null }],
  };
}

/** The weights in per cent as text, the penalty last: "40,20,15,15,10,10"; null for the default weights. */
export function weightsText(weights: AuroraWeights): string | null {
  const text = [...TERMS.map(({ name }) => Number((weights[name] * 100).toFixed(4))), weights.penalty].join(",");
  return text === DEFAULT_WEIGHTS_TEXT ? null : text;
}
const DEFAULT_WEIGHTS_TEXT = "40,20,15,15,10,10";

/** Reads the weights from a text. Invalid text (not six numbers of at least 0) gives the default weights. */
export function readWeights(text: string | null): AuroraWeights {
  const numbers = text?.split(",").map(Number) ?? [];
  if (numbers.length !== 6 || numbers.some((n) => !Number.isFinite(n) || n < 0)) return DEFAULT_WEIGHTS;
  const [quality = 0, throughput = 0, latency = 0, energy = 0, memory = 0] = numbers.map((n) => n / 100);
  return { quality, throughput, latency, energy, memory, penalty: numbers[5] ?? 10 };
}
