import { describe, expect, it } from "vitest";
import { layoutQq, qqPoints } from "./qq_layout";

const edges = [0, 1, 2, 3, 4];

describe("quantiles against quantiles", () => {
  it("lie on the diagonal when both are distributed alike, whatever their number", () => {
    for (const { a, b } of qqPoints({ edges, a: [1, 2, 3, 4], b: [10, 20, 30, 40] })) expect(b).toBeCloseTo(a);
  });
  it("bend where B is cut short", () => {
    const layout = layoutQq({ edges, a: [1, 1, 1, 1], b: [1, 1, 2, 0] }, 400, 200)!;
    expect(layout.worst.share).toBeGreaterThan(0.9);
    expect(layout.worst.b).toBeLessThanOrEqual(3);
    expect(layout.worst.a).toBeGreaterThan(3.9);
  });
  it("need two sides", () => {
    expect(qqPoints({ edges, a: [1, 2, 3, 4], b: null })).toEqual([]);
    expect(layoutQq({ edges, a: [0, 0, 0, 0], b: [1, 0, 0, 0] }, 400, 200)).toBeNull();
  });
});
