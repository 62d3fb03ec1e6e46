import { describe, expect, it } from "vitest";
import type { Bars } from "./data";
import { layoutHeat } from "./heat_layout";
import { barAt, heightOf, layoutRidges, ridgeAt } from "./layout";
import { layoutPercentiles } from "./percentile_layout";
import { layoutRuns } from "./runs_layout";

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const barsOf = (counts: readonly (readonly number[])[], from = 0, to = counts[0]?.length ?? 0): Bars => {
  const bars = counts[0]?.length ?? 0;
  return {
    steps: counts.map((_, i) => 10 * i),
    edges: Array.from({ length: bars + 1 }, (_, i) => from + ((to - from) * i) / bars),
    counts,
    nums: counts.map(sum),
  };
};
const data = barsOf([
  [10, 10, 0],
  [0, 20, 4],
]);

/** The height and width of each bar of a path, in pixels. */
function drawn(path: string): { width: number; height: number }[] {
  const [, left = "0", floor = "0"] = /^M([-\d.]+) ([-\d.]+)/.exec(path) ?? [];
  let at = Number(left);
  return [...path.matchAll(/V([-\d.]+)H([-\d.]+)/g)].map(([, top, right]) => {
    const bar = { width: Number(right) - at, height: Number(floor) - Number(top) };
    at = Number(right);
    return bar;
  });
}

describe("ridges", () => {
  it("stand one behind the other, the newest in front", () => {
    const layout = layoutRidges(data, 400, 200, false)!;
    expect(layout.ridges[0]!.baseline).toBeLessThan(layout.ridges[1]!.baseline);
    expect(layout.ridges[1]!.age).toBe(1);
    expect(ridgeAt(layout, layout.ridges[0]!.baseline - 1)).toBe(0);
    expect(ridgeAt(layout, layout.ridges[0]!.baseline + 1)).toBe(1);
  });
  it("draw an area over every interval that is the share of its values", () => {
    let state = 7;
    const random = (): number => (state = (state * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
    for (let round = 0; round < 50; round += 1) {
      const bars = 31 + Math.floor(random() * 90);
      const counts = Array.from({ length: 1 + (round % 4) }, () =>
        Array.from({ length: bars }, () => Math.floor(1000 * random() ** 2)),
      );
      for (const overlay of [false, true]) {
        const layout = layoutRidges(barsOf(counts, -random(), random() + 1), 2000, 1000, overlay)!;
        const all = layout.ridges.map(({ path }) => drawn(path));
        const areas = all.map((row) => row.map(({ width, height }) => width * height));
        const shares = counts.map((row) => row.map((count) => count / sum(row)));
        const unit = sum(areas[0]!); // The area of all values of a step.
        for (const [s, row] of areas.entries()) {
          expect(sum(row) / unit).toBeCloseTo(1, 2);
          row.forEach((area, i) => expect(Math.abs(area / unit - shares[s]![i]!)).toBeLessThan(2e-3));
        }
      }
    }
  });
  it("cut a spike, and write its share at it, so that the rest is seen", () => {
    const relu = layoutRidges(barsOf([[5000, 2000, 1500, 1000, 500]]), 400, 200, true)!.ridges[0]!;
    expect(relu.spikes).toEqual([]);
    const sharp = layoutRidges(barsOf([[9000, 400, 300, 200, 100]]), 400, 200, true)!.ridges[0]!;
    expect(sharp.spikes.map(({ text }) => text)).toEqual(["90.0 %"]);
    const heights = drawn(sharp.path).map(({ height }) => height);
    expect(heights[1]! / heights[0]!).toBeCloseTo(0.8, 1);
    expect(heights[2]! / heights[1]!).toBeCloseTo(0.75, 1);
    expect(layoutRidges(barsOf([[9000, 400, 300, 200, 100]]), 400, 200, true, true)!.ridges[0]!.spikes).toEqual([]);
  });
  it("show values that are all equal, whole", () => {
    const { path, spikes } = layoutRidges(barsOf([[0, 0, 90, 0, 0]]), 400, 200, true)!.ridges[0]!;
    expect(drawn(path).map(({ height }) => height > 100)).toEqual([false, false, true, false, false]);
    expect(spikes).toEqual([]);
  });
  it("have nothing to draw without values", () => {
    expect(layoutRidges({ steps: [0], edges: [], counts: [[]], nums: [0] }, 400, 200, false)).toBeNull();
  });
  it("keep their tails in sight on a log axis", () => {
    expect(heightOf(1, 1, true)).toBe(1);
    expect(heightOf(0.01, 1, true)).toBeCloseTo(0.5);
    expect(heightOf(1e-9, 1, true)).toBe(0);
    expect(heightOf(0, 1, false)).toBe(0);
  });
});

describe("the bar of a value", () => {
  it("is found by its edges, and beyond the axis is none", () => {
    expect(barAt([0, 1, 2, 3], 0.5)).toBe(0);
    expect(barAt([0, 1, 2, 3], 1)).toBe(0);
    expect(barAt([0, 1, 2, 3], 3)).toBe(2);
    expect(barAt([0, 1, 2, 3], 3.5)).toBe(-1);
    expect(barAt([], 3)).toBe(-1);
  });
});

describe("a heatmap", () => {
  it("has a column per step that reaches half way to the next", () => {
    const layout = layoutHeat(data, 400, 200, false)!;
    expect(layout.columns[0]!.from).toBe(layout.box.l);
    expect(layout.columns[0]!.to).toBe((layout.box.l + layout.box.r) / 2);
    expect(layout.shares.map(sum)).toEqual([expect.closeTo(100), expect.closeTo(100)]);
  });
  it("is as dark at a spike as it can be, and no lighter beside it for that", () => {
    const [row] = layoutHeat(barsOf([[9000, 400, 300, 200, 100]]), 400, 200, false)!.darkness;
    expect(row![0]).toBe(1);
    expect(row![1]).toBeCloseTo(Math.sqrt(0.8));
  });
});

describe("runs on one axis", () => {
  const moments = null;
  it("show shares of all values, so that runs of different size compare", () => {
    const layout = layoutRuns(
      {
        edges: [0, 1, 2],
        problems: [],
        runs: [
          { run: "a", step: 0, counts: [5, 5], num: 10, moments },
          { run: "b", step: 0, counts: [100, 0], num: 400, moments },
        ],
      },
      400,
      200,
      false,
    )!;
    expect(layout.shares).toEqual([
      [50, 50],
      [25, 0],
    ]); // Most of b is outside of the shown range.
  });
  it("are drawn in the bars that the server counted", () => {
    const layout = layoutRuns(
      { edges: [0, 1, 2, 3], problems: [], runs: [{ run: "a", step: 0, counts: [1, 6, 3], num: 10, moments }] },
      400,
      200,
      false,
    )!;
    const heights = drawn(layout.paths[0]!).map(({ height }) => height);
    expect(heights.map((height) => height / heights[1]!)).toEqual([
      expect.closeTo(1 / 6, 2),
      1,
      expect.closeTo(0.5, 2),
    ]);
  });
  it("say the shares of a spike of all runs", () => {
    const of = (run: string, counts: readonly number[]) => ({ run, step: 0, counts, num: sum(counts), moments });
    const layout = layoutRuns(
      { edges: [0, 1, 2, 3, 4], problems: [], runs: [of("a", [90, 4, 3, 3]), of("b", [80, 8, 6, 6])] },
      400,
      200,
      false,
    )!;
    expect(layout.spikes.map(({ text }) => text)).toEqual(["80.0 to 90.0 %"]);
    expect(layout.yTicks.at(-1)!.text).toBe("10");
  });
});

describe("percentiles", () => {
  const row = [-3, -2, -1, -0.5, 0, 0.5, 1, 2, 3];
  const widthOf = (path: string): number => {
    const xs = [...path.matchAll(/[ML]([\d.]+) /g)].map((found) => Number(found[1]));
    return Math.max(...xs) - Math.min(...xs);
  };
  it("are bands from the first step to the last", () => {
    const { bands, box } = layoutPercentiles({ steps: [0, 5, 9], rows: [row, row, row] }, 400, 200)!;
    expect(bands).toHaveLength(4);
    expect(widthOf(bands[0]!)).toBeCloseTo(box.r - box.l, 0);
  });
  it("of a single step can be seen as well", () => {
    const { bands, median, x } = layoutPercentiles({ steps: [7], rows: [row] }, 400, 200)!;
    for (const path of [...bands, median]) expect(widthOf(path)).toBeGreaterThan(40);
    expect(x.invert(x(7))).toBeCloseTo(7);
  });
});
