// The weights of AURORA that the user chooses. The server computes the scores, see include/cboard/compression/aurora.h.

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
