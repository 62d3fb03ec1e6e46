import { describe, expect, it } from "vitest";
import { computeAurora, readWeights, DEFAULT_WEIGHTS, weightsText } from "./aurora";

function modelOf(a: Record<string, number>, b: Record<string, number>) {
  return { measured: (variant: string, metric: string) => (variant === "fp32" ? a : b)[metric] ?? null };
}
// The example beside the formula in the documentation: a drop of 6.00 % gives 0.6717.
const published = modelOf(
  { accuracy: 0.6628, latency_mean_ms: 15, memory_usage_mb: 800, energy_consumption_mw: 45000, throughput: 1000 },
  { accuracy: 0.6628 * 0.94, latency_mean_ms: 9, memory_usage_mb: 560, energy_consumption_mw: 36000, throughput: 1500 },
);

describe("AURORA", () => {
  it("gives the published example its published score", () => {
    expect(computeAurora(published, "fp32", "int8", DEFAULT_WEIGHTS).score).toBeCloseTo(0.671733, 5);
  });
  it("is the product of its factors, and 1 for a model against itself", () => {
    const { score, factors, coverage } = computeAurora(published, "fp32", "int8", DEFAULT_WEIGHTS);
    expect(factors.reduce((product, f) => product * f.factor, 1)).toBeCloseTo(score!, 12);
    expect(coverage).toBeCloseTo(1, 12);
    expect(computeAurora(published, "fp32", "fp32", DEFAULT_WEIGHTS).score).toBe(1);
  });
  it("says why there is no score", () => {
    const only = modelOf({ accuracy: 0.7 }, { accuracy: 0.69 });
    expect(computeAurora(only, "fp32", "int8", DEFAULT_WEIGHTS)).toMatchObject({
      score: null,
      reason: "the logged metrics cover 40 % of the weights, but at least 50 % are needed",
    });
    expect(computeAurora(modelOf({}, {}), "fp32", "int8", DEFAULT_WEIGHTS).reason).toMatch(
      /have the quality metric accuracy/,
    );
    expect(computeAurora(published, "fp32", "int8", { ...DEFAULT_WEIGHTS, quality: 0 }).reason).toMatch(/quality is 0/);
    expect(computeAurora(modelOf({ accuracy: 0 }, { accuracy: 1 }), "fp32", "int8", DEFAULT_WEIGHTS).reason).toMatch(
      /above 0/,
    );
  });
  it("follows the weights: with more on quality the same loss of it weighs more", () => {
    const strict = computeAurora(published, "fp32", "int8", { ...DEFAULT_WEIGHTS, quality: 2 }).score!;
    expect(strict).toBeLessThan(computeAurora(published, "fp32", "int8", DEFAULT_WEIGHTS).score!);
  });
});

describe("weights in the address", () => {
  it("come back as they were, and the usual ones are left out", () => {
    const own = { ...DEFAULT_WEIGHTS, quality: 0.6, penalty: 0 };
    expect(readWeights(weightsText(own))).toEqual(own);
    expect(weightsText(DEFAULT_WEIGHTS)).toBeNull();
    expect(readWeights("1,2")).toBe(DEFAULT_WEIGHTS);
    expect(readWeights("a,b,c,d,e,f")).toBe(DEFAULT_WEIGHTS);
  });
});
