import { describe, expect, it } from "vitest";
import { allSteps, stepAt } from "./step_choice";

describe("steps of a layer", () => {
  it("are those of both sides", () => {
    expect(allSteps([0, 10, 20], [5, 10])).toEqual([0, 5, 10, 20]);
  });
  it("show each side as it was then", () => {
    expect(stepAt([0, 10, 20], 15)).toBe(10);
    expect(stepAt([0, 10, 20], 99)).toBe(20);
    expect(stepAt([10, 20], 5)).toBe(10);
    expect(stepAt([], 5)).toBeNull();
  });
});
