import { describe, expect, it } from "vitest";
import type { Column } from "./data";
import { axisTitles, filterOf, layoutParallel, sharesOf } from "./parallel_layout";

const column = (id: string, values: Column["values"], isMetric = false): Column => ({
  id,
  label: id,
  description: "",
  isMetric,
  isNumeric: values.some((v) => typeof v === "number"),
  values,
  varies: true,
});
const bits = column("h:bits", [4, 8, 8, 2]);
const scheme = column("h:scheme", ["sym", "asym", null, "sym"]);
const acc = column("m:\tacc", [0.5, 0.9, 0.7, NaN], true);
const plain = { log: new Set<string>(), flip: new Set<string>() };

describe("parallel coordinates", () => {
  const layout = layoutParallel([bits, scheme, acc], 900, 300, plain)!;
  it("spreads the axes over the width and the best value to the top", () => {
    expect(layout.axes.map((a) => a.x)).toEqual([56, 442, 828]);
    expect(layout.axes[2]!.y(0.9)).toBeCloseTo(layout.top);
    expect(layout.axes[2]!.y(0.5)).toBeCloseTo(layout.bottom);
  });
  it("breaks a line where a value is missing, and draws nothing at NaN", () => {
    // These trials have no neighbouring value, but their dots are drawn.
    expect(layout.lines[2]!.path.match(/[MLh]/g)).toEqual(["M", "h", "M", "h"]);
    expect(layout.lines[3]!.path.match(/[ML]/g)).toEqual(["M", "L"]);
  });
  it("shows few numbers as levels in their order", () => {
    expect(layout.axes[0]!.ticks.map((t) => t.text)).toEqual(["2", "4", "8"]);
    expect(layout.axes[0]!.ticks[0]!.at).toBeGreaterThan(layout.axes[0]!.ticks[2]!.at);
  });
  it("turns an axis over, and makes it logarithmic only where all values are positive", () => {
    const turned = layoutParallel([acc], 900, 300, { log: new Set(), flip: new Set([acc.id]) })!;
    expect(turned.axes[0]!.y(0.9)).toBeCloseTo(turned.bottom);
    const signed = column("m:\tloss", [-1, 2], true);
    expect(layoutParallel([signed], 900, 300, { log: new Set([signed.id]), flip: new Set() })!.axes[0]!.canLog).toBe(
      false,
    );
  });
  it("turns a stretch of an axis into a filter", () => {
    const [b, , a] = layout.axes;
    expect(filterOf(a!, layout.top, layout.bottom)).toEqual({ min: 0.5, max: 0.9 });
    expect(filterOf(b!, b!.y(8)! - 3, b!.y(4)! + 3)).toEqual({ values: ["4", "8"] });
    expect(filterOf(b!, layout.top, layout.top + 1)).toBeNull();
  });
  it("colours by where a trial stands between worst and best", () => {
    expect(sharesOf(acc)).toEqual([0, 1, expect.closeTo(0.5), null]);
    expect(sharesOf(undefined)).toEqual([]);
  });
});

it("titles leave out the folder that all metrics share, and only that", () => {
  const named = (label: string, isMetric: boolean): Column => ({ ...column(label, [1], isMetric), label });
  expect(axisTitles([named("model/bits", false), named("hparam/acc", true), named("hparam/size", true)])).toEqual([
    "model/bits",
    "acc",
    "size",
  ]);
  expect(axisTitles([named("hparam/acc", true), named("loss", true)])).toEqual(["hparam/acc", "loss"]);
  expect(axisTitles([])).toEqual([]);
});

it("digits of an axis follow its ticks", () => {
  const [axis] = layoutParallel([column("m:\tacc", [0.6, 0.79], true), bits], 900, 300, plain)!.axes;
  expect(axis!.ticks.map(({ text }) => text)).toEqual(["0.60", "0.65", "0.70", "0.75"]);
});
