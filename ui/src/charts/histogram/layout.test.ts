import { describe, expect, it } from "vitest";
import { filledRange, layoutHistogram, limitLabels } from "./layout";

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
  it("cuts a spike of either side, so that the rest is seen", () => {
    const layout = layoutHistogram({ edges: [0, 1, 2, 3, 4], a: [90, 4, 3, 3], b: [88, 4, 4, 4] }, "linear", 400, 200)!;
    expect(layout.spikes.map(({ text }) => text)).toEqual(["88.0 to 90.0 %"]);
    expect(layout.y(4)).toBeLessThan(layout.box.t + 0.25 * (layout.box.b - layout.box.t));
    expect(layout.y(90)).toBe(layout.box.t);
    expect(layoutHistogram({ edges: [0, 1, 2, 3, 4], a: [90, 4, 3, 3], b: null }, "log", 400, 200)!.spikes).toEqual([]);
  });
  it("draws one side alone, and nothing of nothing", () => {
    expect(layoutHistogram({ ...input, b: null }, "log", 400, 200)!.outlineB).toBe("");
    expect(layoutHistogram({ edges: [0, 1], a: [0], b: null }, "linear", 400, 200)).toBeNull();
  });
});

describe("the names of a range's ends", () => {
  const box = { l: 44, r: 644 };
  // The left and right end of each label, and its row.
  const boxes = (low: number, high: number) =>
    limitLabels([low, high], box, 110).map(({ right, row }, i) => {
      const at = i === 0 ? low : high;
      return { from: right ? at : at - 110, to: right ? at + 110 : at, row };
    });

  it("never stand on each other, nor outside of the chart", () => {
    for (let low = box.l; low <= box.r; low += 20) {
      for (let high = low; high <= box.r; high += 20) {
        const [least, greatest] = boxes(low, high);
        const apart = least!.row !== greatest!.row || least!.to <= greatest!.from || greatest!.to <= least!.from;
        expect(apart, `${low} to ${high}`).toBe(true);
        for (const { from, to } of [least!, greatest!])
          expect(from >= box.l - 1 && to <= box.r + 1, `${low} to ${high}`).toBe(true);
      }
    }
  });
  it("are inside of a wide range and around a narrow one", () => {
    expect(boxes(100, 600)).toEqual([
      { from: 100, to: 210, row: 0 },
      { from: 490, to: 600, row: 0 },
    ]);
    expect(boxes(320, 360)).toEqual([
      { from: 210, to: 320, row: 0 },
      { from: 360, to: 470, row: 0 },
    ]);
  });
});
