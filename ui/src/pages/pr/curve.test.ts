import type { PrResponse } from "../../api/media";
import { describe, expect, it } from "vitest";
import {
  atThreshold,
  averagePrecision,
  hasPositives,
  bestF1,
  curveAt,
  layoutCurves,
  nearestPoint,
  rangeText,
  readRange,
  WHOLE,
} from "./curve";

const response: PrResponse = {
  steps: [0, 10],
  thresholds: [
    [0, 0.5],
    [0, 0.5, 0.9],
  ],
  precision: [
    [0.5, 1],
    [0.5, 0.8, 1],
  ],
  recall: [
    [1, 0.5],
    [1, 0.8, 0.2],
  ],
  true_positives: [
    [2, 1],
    [10, 8, 2],
  ],
  false_positives: [
    [2, 0],
    [10, 2, 0],
  ],
  false_negatives: [
    [0, 1],
    [0, 2, 8],
  ],
};

describe("precision and recall", () => {
  it("do not exist without a positive label", () => {
    expect(hasPositives(curveAt("a", response, null)!)).toBe(true);
    const none = response.true_positives.map((row) => row.map(() => 0));
    const curve = curveAt("a", { ...response, true_positives: none, false_negatives: none }, null)!;
    expect(hasPositives(curve)).toBe(false);
  });
  it("are those of the nearest step, or of the newest", () => {
    expect(curveAt("a", response, null)!.step).toBe(10);
    expect(curveAt("a", response, 3)!.step).toBe(0);
    expect(curveAt("a", { ...response, steps: [] }, null)).toBeNull();
  });
  it("are summed up by the area and the best threshold", () => {
    const curve = curveAt("a", response, null)!;
    expect(averagePrecision(curve)).toBeCloseTo(0.5 * 0.2 + 0.8 * 0.6 + 1 * 0.2);
    expect(bestF1(curve)).toEqual({ f1: expect.closeTo(0.8), threshold: 0.5 });
  });
  it("are found under the pointer", () => {
    const curves = [curveAt("a", response, null)!];
    const layout = layoutCurves(curves, 400, 300)!;
    expect(nearestPoint(layout, curves, layout.x(0.8) + 2, layout.y(0.8))).toEqual({ curve: 0, at: 1 });
    expect(nearestPoint(layout, curves, layout.x(0.2), layout.y(0))).toBeNull();
  });
  it("are drawn and summed up without the thresholds at which nothing was named", () => {
    const curve = curveAt("a", { ...response, precision: [[], [0.5, 0.8, "NaN"]], recall: [[], [1, 0.8, 0]] }, null)!;
    expect(layoutCurves([curve], 400, 300)!.paths[0]).not.toContain("NaN");
    // The recall decreases from 0.8 at thresholds without a known precision.
    expect(averagePrecision({ ...curve, recall: [1, 0.8, 0.8], precision: [0.5, 0.8, NaN] })).toBeNaN();
    expect(averagePrecision({ ...curve, recall: [1, 0.8, 0], precision: [0.5, 0.8, NaN] })).toBeCloseTo(0.74);
  });
  it("can be looked at in a part, and only what is in sight is found", () => {
    const curves = [curveAt("a", response, null)!];
    const layout = layoutCurves(curves, 400, 300, [0.7, 1, 0.4, 1])!;
    expect(layout.x(0.7)).toBeCloseTo(layout.box.l);
    expect(layout.y(1)).toBeCloseTo(layout.box.t);
    expect(nearestPoint(layout, curves, layout.x(0.8), layout.y(0.8))).toEqual({ curve: 0, at: 1 });
    expect(nearestPoint(layout, curves, layout.x(0.2), layout.y(1), 1000)).toEqual({ curve: 0, at: 1 });
  });
  it("are compared at a threshold", () => {
    const curve = curveAt("a", response, null)!;
    expect([atThreshold(curve, 0.7), atThreshold(curve, 0.9), atThreshold(curve, -1)]).toEqual([1, 2, -1]);
  });
  it("remember the part that was looked at", () => {
    expect(readRange(rangeText([0.8, 1, 0.25, 0.9]))).toEqual([0.8, 1, 0.25, 0.9]);
    expect(rangeText(WHOLE)).toBeNull();
    for (const text of [null, "", "1", "0~1~0", "1~0~0~1", "0~2~0~1", "a~b~c~d", "~~~", "0.5~0.5~0~1"])
      expect(readRange(text)).toEqual(WHOLE);
  });
});
