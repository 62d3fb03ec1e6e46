import { describe, expect, it } from "vitest";
import { asFraction, gain, isFraction, limitsOfRules, rulesOf } from "./gates";

describe("values of a metric", () => {
  it("know that more throughput is better and more latency is not", () => {
    expect(gain(100, 250, true)).toBe(2.5);
    expect(gain(10, 4, false)).toBe(2.5);
    expect(gain(0, 4, false)).toBeNull();
  });
  it("read accuracies in per cent too", () => {
    expect(asFraction(77.6)).toBeCloseTo(0.776);
    expect(asFraction(0.776)).toBe(0.776);
    expect(isFraction({ unit: "", higherIsBetter: true })).toBe(true);
    expect(isFraction({ unit: "ms", higherIsBetter: false })).toBe(false);
  });
});

describe("rules of a policy", () => {
  it("are read as the server and as the address write them", () => {
    const limits = new Map([
      ["drop", 0.5],
      ["ratio", 3],
    ]);
    expect(limitsOfRules(["drop ≤ 0.5 pp", "ratio ≥ 3×"])).toEqual(limits);
    expect(limitsOfRules(rulesOf(limits).split(" "))).toEqual(limits);
    expect(rulesOf(limits)).toBe("drop<=0.5 ratio>=3");
  });
});
