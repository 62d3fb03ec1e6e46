import { describe, expect, it } from "vitest";
import { channelToName, layoutRibbon, sidesOf } from "./channel_rows";

const one = (experiment: string, stage: string, max: number) => ({
  experiment,
  stage,
  channels: {
    min: [-1, -2],
    max: [1, max],
    mean: [0, null],
    sqnr_db: [] as (number | "-Infinity")[],
    histograms: null,
    outliers: { channels: [1], ratios: [9] },
    explanation: "channel 1 reaches far",
  },
});

describe("statistics per channel", () => {
  it("are of both variants where both were logged together", () => {
    const [a, b] = sidesOf({ stages: [one("x", "fp32", 5), one("x", "int8", 4)] }, "fp32", "int8")!;
    expect([a.max[1], b?.max[1]]).toEqual([5, 4]);
    expect(Number.isNaN(a.mean[1]!)).toBe(true);
  });
  it("are of the last stage otherwise", () => {
    const [a, b] = sidesOf(
      { stages: [one("mct", "initial_graph", 5), one("mct", "thresholds_selection", 6)] },
      "fp32",
      "int8",
    )!;
    expect([a.name, a.max[1], b]).toEqual(["thresholds selection in mct", 6, null]);
    expect(sidesOf({ stages: [] }, "fp32", "int8")).toBeNull();
  });
  it("name the outlier, or the channel that changed most", () => {
    const [a, b] = sidesOf({ stages: [one("x", "fp32", 5), one("x", "int8", 4)] }, "fp32", "int8")!;
    expect(channelToName([a, b])).toBe(1);
    const plain = { ...a, outliers: [] };
    expect(channelToName([plain, b])).toBe(1); // The first range changed from 7 to 6, the other one is unchanged.
    expect(channelToName([plain, plain])).toBeNull();
    expect(channelToName([plain, null])).toBeNull();
  });
  it("name the channel with the lowest SQNR where it was logged", () => {
    const [a, b] = sidesOf({ stages: [one("x", "fp32", 5), one("x", "int8", 4)] }, "fp32", "int8")!;
    expect(channelToName([a, { ...b!, sqnr: [11.3, 38] }])).toBe(0);
    expect(channelToName([a, { ...b!, sqnr: [NaN, -Infinity] }])).toBe(1);
  });
  it("fit all of both sides", () => {
    const layout = layoutRibbon(
      sidesOf({ stages: [one("x", "fp32", 5), one("x", "int8", 50)] }, "fp32", "int8")!,
      400,
      132,
    )!;
    expect(layout.n).toBe(2);
    expect(layout.y(50)).toBeGreaterThanOrEqual(layout.box.t);
    expect(layout.y(-2)).toBeLessThanOrEqual(layout.box.b);
  });
});
