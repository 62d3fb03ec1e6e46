import { describe, expect, it } from "vitest";
import { readWeights, DEFAULT_WEIGHTS, weightsText } from "./aurora";

describe("weights in the address", () => {
  it("come back as they were, and the usual ones are left out", () => {
    const own = { ...DEFAULT_WEIGHTS, quality: 0.6, penalty: 0 };
    expect(readWeights(weightsText(own))).toEqual(own);
    expect(weightsText(DEFAULT_WEIGHTS)).toBeNull();
    expect(readWeights("1,2")).toBe(DEFAULT_WEIGHTS);
    expect(readWeights("a,b,c,d,e,f")).toBe(DEFAULT_WEIGHTS);
  });
});
