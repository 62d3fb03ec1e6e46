import { expect, it } from "vitest";
import { layoutLines, type Line, type LineChartOptions } from "./layout";
import { stretched, takeLong } from "./stretch";

const line = (points: number): Line => ({
  name: "run",
  xs: Float64Array.from({ length: points }, (_, i) => i + 1),
  ys: Float64Array.from({ length: points }, (_, i) => 1 + i),
  smooth: null,
});
const layout = (options: Partial<LineChartOptions>) =>
  layoutLines([line(100)], {
    width: 458,
    height: 230,
    logX: false,
    logY: false,
    clipOutliers: false,
    xRange: [0, 100],
    yRange: [1, 100],
    xText: String,
    ...options,
  })!;

it("a picture lies where its values lie", () => {
  const whole = layout({});
  expect(stretched(whole, whole)).toEqual(whole.box);
  const half = stretched(whole, layout({ xRange: [50, 100] }))!;
  expect(half.r).toBeCloseTo(whole.box.r);
  expect(half.r - half.l).toBeCloseTo(2 * (whole.box.r - whole.box.l));
  const higher = stretched(whole, layout({ yRange: [1, 199] }))!;
  expect(higher.b).toBeCloseTo(whole.box.b);
  expect(higher.b - higher.t).toBeCloseTo((whole.box.b - whole.box.t) / 2);
});

it("a picture does not become one over another kind of axis", () => {
  expect(stretched(layout({}), layout({ logY: true }))).toBeNull();
  expect(stretched(layout({ logY: true }), layout({ logY: true, yRange: [10, 100] }))).not.toBeNull();
});

it("few points are drawn at once", () => {
  expect(takeLong(Array.from({ length: 20 }, () => line(1000)))).toBe(false);
  expect(takeLong(Array.from({ length: 200 }, () => line(1000)))).toBe(true);
});
