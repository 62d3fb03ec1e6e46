import { describe, expect, it } from "vitest";
import { layoutLines, nearestIndex, robustRange, smoothed, type Line } from "./layout";

const options = {
  width: 500,
  height: 240,
  logX: false,
  logY: false,
  clipOutliers: false,
  xRange: null,
  yRange: null,
  xText: String,
};
const line = (ys: number[]) => ({ name: "a", xs: ys.map((_, i) => i), ys, smooth: null });

describe("line layout", () => {
  it("fits all points into the box", () => {
    const layout = layoutLines([line([1, 5, -3, 2])], options)!;
    expect(layout.x(0)).toBe(layout.box.l);
    expect(layout.x(3)).toBe(layout.box.r);
    expect(layout.y(5)).toBeGreaterThan(layout.box.t);
    expect(layout.y(-3)).toBeLessThan(layout.box.b);
  });
  it("marks what is no number instead of hiding it", () => {
    for (const column of [
      Array.from<number>,
      Float32Array.from.bind(Float32Array),
      Float64Array.from.bind(Float64Array),
    ]) {
      const nonFinite = (ys: number[]) => layoutLines([{ ...line(ys), ys: column(ys) }], options)!.nonFinite[0];
      expect(nonFinite([1, NaN, 3, Infinity])).toEqual([
        { x: 1, value: NaN },
        { x: 3, value: Infinity },
      ]);
      expect(nonFinite([1, -Infinity])).toEqual([{ x: 1, value: -Infinity }]);
      expect(nonFinite([1, 2])).toEqual([]);
    }
  });
  it("does not let one outlier flatten the rest, when asked", () => {
    const ys = Array.from({ length: 400 }, (_, i) => Math.sin(i));
    ys[200] = 1e6;
    const clipped = layoutLines([line(ys)], { ...options, clipOutliers: true })!;
    expect(clipped.y.domain[1]).toBeLessThan(2);
    expect(layoutLines([line(ys)], options)!.y.domain[1]).toBeGreaterThan(1e6);
  });
  it("scales y to what is visible after zooming", () => {
    const layout = layoutLines([line([100, 1, 2, 3, 100])], { ...options, xRange: [1, 3] })!;
    expect(layout.y.domain[1]).toBeLessThan(5);
  });
  it("puts no numbers at an axis on which nothing stands, and says why", () => {
    const [empty, below] = [
      layoutLines([line([NaN, NaN])], options)!,
      layoutLines([line([-1, -2])], { ...options, logY: true })!,
    ];
    expect([empty.yTicks, empty.why, below.yTicks, below.why]).toEqual([
      [],
      "no finite values in this chart",
      [],
      "no value above 0, which a log axis needs",
    ]);
    const whole = layoutLines([line([1, 2])], options)!;
    expect([whole.yTicks.length > 0, whole.why]).toEqual([true, ""]);
    expect(layoutLines([line([NaN])], { ...options, yRange: [0, 1] })!.yTicks.length).toBeGreaterThan(0); // Asked for.
  });
  it("begins a log x axis where the first step above 0 is", () => {
    expect(layoutLines([line([1, 2, 3])], { ...options, logX: true })!.x.domain).toEqual([1, 2]);
  });
  it("keeps single points off the edges", () => {
    const layout = layoutLines(
      [
        { ...line([1]), xs: [5] },
        { ...line([2]), xs: [8] },
      ],
      options,
    )!;
    expect(layout.x(5)).toBeGreaterThan(layout.box.l + 4);
    expect(layout.x(8)).toBeLessThan(layout.box.r - 4);
  });
  it("has ticks as near as their words allow", () => {
    const count = (xText: (x: number) => string): number =>
      layoutLines([line([...Array(101).keys()])], { ...options, xText })!.xTicks.length;
    expect(count(String)).toBeGreaterThan(count((x) => `${x} of very many steps`));
    expect(count((x) => `${x} of very many steps`)).toBeGreaterThanOrEqual(2);
  });
  it("writes large ticks without zeros that say nothing", () => {
    expect(layoutLines([line([0, 3e14])], options)!.yTicks.map(({ text }) => text)).toContain("1e14");
  });
  it("sees that lines, their neighbours or the zoom have changed, though some values are the same", () => {
    const [low, high] = [line([1, 2, 3]), line([1, 50, 3])];
    const top = (...of: Parameters<typeof layoutLines>): number => Math.round(layoutLines(...of)!.y.domain[1]);
    expect(top([low], options)).toBe(3);
    expect(top([{ ...low, smooth: [1, 1, 1] }], options)).toBe(3);
    expect(top([low, high], options)).toBe(53);
    expect(top([low, high], { ...options, xRange: [1.5, 2] })).toBe(3);
    expect(top([low, line([4, 5, 9])], options)).toBe(9);
    expect(layoutLines([{ ...low, ys: [1, NaN, 3] }], options)!.nonFinite[0]).toHaveLength(1);
    const moved = line([1, NaN, 3]);
    expect(layoutLines([moved], options)!.nonFinite[0]).toEqual([{ x: 1, value: NaN }]);
    expect(layoutLines([{ ...moved, xs: [5, 6, 7] }], options)!.nonFinite[0]).toEqual([{ x: 6, value: NaN }]);
  });
  it("draws no axes of nothing", () => {
    expect(layoutLines([], options)).toBeNull();
  });
  it("keeps to positive numbers on log axes", () => {
    const layout = layoutLines([line([0, -1, 10, 1000])], { ...options, logY: true })!;
    expect(layout.y.domain[0]).toBeGreaterThan(0);
  });
});

describe("the range of many lines", () => {
  const spiked = (every: number) =>
    Array.from({ length: 200 }, (_, k): Line => ({
      name: `run ${k}`,
      xs: Float64Array.from({ length: 1000 }, (_, i) => i),
      ys: Float32Array.from({ length: 1000 }, (_, i) => (i % every === 0 ? 100 : 1 + (i % 7) / 7)),
      smooth: null,
    }));
  const rangeOf = (lines: readonly Line[]) => layoutLines(lines, { ...options, clipOutliers: true })!.y.domain;

  it("has what comes back every few points, and the rest too", () => {
    const [lo, hi] = rangeOf(spiked(10));
    expect(lo).toBeLessThanOrEqual(1);
    expect(hi).toBeGreaterThanOrEqual(100);
  });

  it("leaves out what is one point of a thousand", () => {
    const [lo, hi] = rangeOf(spiked(1000));
    expect(lo).toBeLessThanOrEqual(1);
    expect(hi).toBeLessThan(3);
  });
});

describe("nearest point", () => {
  it("is found by bisection", () => {
    const xs = [0, 10, 20, 30];
    for (const [x, i] of [
      [-5, 0],
      [4, 0],
      [6, 1],
      [15, 1],
      [16, 2],
      [99, 3],
    ] as const)
      expect(nearestIndex(xs, x)).toBe(i);
    expect(nearestIndex([], 1)).toBe(-1);
  });
});

describe("smoothing", () => {
  it("is debiased at the start and passes over nonFinite", () => {
    expect([...smoothed([2, 2, 2], 0.9)].map((v) => +v.toFixed(12))).toEqual([2, 2, 2]);
    const held = smoothed([1, NaN, 3], 0.5);
    expect(held[1]).toBeNaN();
    expect(held[2]).toBeCloseTo((0.25 * 1 + 0.5 * 3) / 0.75);
  });
  it("is the mean that its definition says, however long it goes on", () => {
    const ys = Float32Array.from({ length: 500 }, (_, i) => Math.sin(i / 7) + (i % 13));
    const wanted = Array.from(ys, (_, n) => {
      let [sum, weights] = [0, 0];
      for (let i = 0; i <= n; i += 1) [sum, weights] = [sum + 0.6 ** (n - i) * ys[i]!, weights + 0.6 ** (n - i)];
      return sum / weights;
    });
    smoothed(ys, 0.6).forEach((y, i) => expect(y).toBeCloseTo(wanted[i]!, 12));
  });
  it("does nothing at weight 0", () => {
    expect([...smoothed([1, 5], 0)]).toEqual([1, 5]);
  });
});

describe("robust range", () => {
  it("is the whole range of a few values", () => {
    expect(robustRange([3, 1, NaN])).toEqual([1, 3]);
    expect(robustRange([NaN])).toBeNull();
    expect(robustRange([])).toBeNull();
  });
  it("leaves out as many of the greatest and of the least, wherever they are, and all that is no number", () => {
    const values = Float64Array.from({ length: 1000 }, (_, i) => (i * 617) % 1000);
    expect(robustRange(values)).toEqual([5, 994]);
    expect(robustRange([...values, NaN, Infinity, -Infinity, -Infinity])).toEqual([5, 994]);
    expect(robustRange([Infinity, -Infinity])).toBeNull();
  });
});
