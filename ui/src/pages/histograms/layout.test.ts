import { describe, expect, it } from "vitest";
import { layoutHeat, rebinned } from "./heat_layout";
import { binAt, heightOf, layoutRidges, ridgeAt } from "./layout";
import { layoutPercentiles } from "./percentile_layout";
import { layoutRuns } from "./runs_layout";

const data = { steps: [0, 10], lefts: [[0, 1], [0, 1]], rights: [[1, 3], [1, 3]], counts: [[10, 10], [0, 20]] };
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe("ridges", () => {
  it("stand one behind the other, the newest in front", () => {
    const layout = layoutRidges(data, 400, 200, false)!;
    expect(layout.ridges[0]!.baseline).toBeLessThan(layout.ridges[1]!.baseline);
    expect(layout.ridges[1]!.age).toBe(1);
    expect(ridgeAt(layout, layout.ridges[0]!.baseline - 1)).toBe(0);
    expect(ridgeAt(layout, layout.ridges[0]!.baseline + 1)).toBe(1);
  });
  it("show density, so that a wide bin is not taken for a full one", () => {
    const layout = layoutRidges({ steps: [0], lefts: [[0, 1]], rights: [[1, 3]], counts: [[10, 10]] }, 400, 200, true)!;
    const heights = [...layout.ridges[0]!.path.matchAll(/V([\d.]+)/g)].map((m) => Number(m[1]));
    expect(heights[0]!).toBeLessThan(heights[1]!); // The narrow bin is the taller one.
  });
  it("show values that are all equal, in a bin of no width", () => {
    const layout = layoutRidges({ steps: [0], lefts: [[0, 0.5]], rights: [[0, 1]], counts: [[90, 10]] }, 400, 200, true)!;
    const [first] = [...layout.ridges[0]!.path.matchAll(/V([\d.]+)/g)].map((m) => Number(m[1]));
    expect(first!).toBeLessThan(30); // At the top of the chart.
    expect(layout.ridges[0]!.path).toMatch(/V178.0H/); // And down again in the gap after it.
  });
  it("have nothing to draw without values", () => {
    expect(layoutRidges({ steps: [0], lefts: [[0]], rights: [[1]], counts: [[0]] }, 400, 200, false)).toBeNull();
  });
  it("keep their tails in sight on a log axis", () => {
    expect(heightOf(1, 1, true)).toBe(1);
    expect(heightOf(0.01, 1, true)).toBeCloseTo(0.5);
    expect(heightOf(1e-9, 1, true)).toBe(0);
    expect(heightOf(0, 1, false)).toBe(0);
  });
});

describe("the bin of a value", () => {
  it("is found by its edges, and gaps have none", () => {
    expect(binAt([0, 2], [1, 3], 0.5)).toBe(0);
    expect(binAt([0, 2], [1, 3], 1.5)).toBe(-1);
    expect(binAt([0, 2], [1, 3], 3)).toBe(1);
    expect(binAt([], [], 3)).toBe(-1);
  });
});

describe("a heatmap", () => {
  it("keeps the mass of every bin, however wide", () => {
    expect(rebinned([0, 1], [1, 3], [4, 8], 0, 4, 4)).toEqual([4, 4, 4, 0]);
    expect(sum(rebinned([0.13, 0.5, 0.5], [0.5, 0.5, 0.97], [3, 7, 11], 0, 1, 7))).toBeCloseTo(21);
  });
  it("has a column per step that reaches half way to the next", () => {
    const layout = layoutHeat({ ...data, steps: [0, 10] }, 400, 200, false)!;
    expect(layout.columns[0]!.from).toBe(layout.box.l);
    expect(layout.columns[0]!.to).toBe((layout.box.l + layout.box.r) / 2);
    expect(layout.shares.map(sum)).toEqual([expect.closeTo(1), expect.closeTo(1)]);
  });
});

describe("runs on one axis", () => {
  const moments = null;
  it("show shares of all values, so that runs of different size compare", () => {
    const layout = layoutRuns({ edges: [0, 1, 2], problems: [], runs: [{ run: "a", step: 0, counts: [5, 5], num: 10, moments }, { run: "b", step: 0, counts: [100, 0], num: 400, moments }] }, 400, 200, false)!;
    expect(layout.shares).toEqual([[50, 50], [25, 0]]); // Most of b is outside of what is shown.
  });
  it("become bars of equal width where the bins that were logged are not, and lose nothing", () => {
    const layout = layoutRuns({ edges: [-1, -1e-9, 1e-9, 3], problems: [], runs: [{ run: "a", step: 0, counts: [1, 6, 3], num: 10, moments }] }, 400, 200, false)!;
    const widths = layout.edges.slice(1).map((edge, i) => edge - layout.edges[i]!);
    expect(Math.max(...widths)).toBeCloseTo(Math.min(...widths));
    expect(sum(layout.shares[0]!)).toBeCloseTo(100);
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
