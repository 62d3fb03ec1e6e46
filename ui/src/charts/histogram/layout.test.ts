import { describe, expect, it } from "vitest";
import { filledRange, layoutHistogram } from "./layout";

const input = { edges: [0, 1, 2, 3, 4], a: [0, 10, 30, 0], b: [0, 20, 20, 0] };

describe("histogram layout", () => {
  it("shows shares, not counts, so that sides of different size compare", () => {
    const layout = layoutHistogram({ ...input, b: [0, 2000, 2000, 0] }, "linear", 400, 200)!;
    expect(layout.a).toEqual([0, 25, 75, 0]);
    expect(layout.b).toEqual([0, 50, 50, 0]);
  });
  it("begins and ends where values are", () => {
    expect(filledRange([0, 0, 3, 0], [0, 1, 0, 0])).toEqual([1, 2]);
    expect(layoutHistogram(input, "linear", 400, 200)!.x.domain).toEqual([1, 3]);
  });
  it("adds up to 100 % as a CDF", () => {
    const layout = layoutHistogram(input, "cdf", 400, 200)!;
    expect(layout.a!.at(-1)).toBeCloseTo(100);
    expect(layout.y(100)).toBe(layout.box.t);
  });
  it("shows what B has more or less than A as the error", () => {
    expect(layoutHistogram(input, "error", 400, 200)!.b).toEqual([0, 25, -25, 0]);
  });
  it("draws one side alone, and nothing of nothing", () => {
    expect(layoutHistogram({ ...input, b: null }, "log", 400, 200)!.outlineB).toBe("");
    expect(layoutHistogram({ edges: [0, 1], a: [0], b: null }, "linear", 400, 200)).toBeNull();
  });
});
