import { describe, expect, it } from "vitest";
import { averagePrecision, bestF1, curveAt, layoutCurves, nearestPoint, type PrAnswer } from "./curve";

const answer: PrAnswer = {
  steps: [0, 10], thresholds: [[0, 0.5], [0, 0.5, 0.9]], precision: [[0.5, 1], [0.5, 0.8, 1]], recall: [[1, 0.5], [1, 0.8, 0.2]],
  true_positives: [[2, 1], [10, 8, 2]], false_positives: [[2, 0], [10, 2, 0]], false_negatives: [[0, 1], [0, 2, 8]],
};

describe("precision and recall", () => {
  it("are those of the nearest step, or of the newest", () => {
    expect(curveAt("a", answer, null)!.step).toBe(10);
    expect(curveAt("a", answer, 3)!.step).toBe(0);
    expect(curveAt("a", { ...answer, steps: [] }, null)).toBeNull();
  });
  it("are summed up by the area and the best threshold", () => {
    const curve = curveAt("a", answer, null)!;
    expect(averagePrecision(curve)).toBeCloseTo(0.5 * 0.2 + 0.8 * 0.6 + 1 * 0.2);
    expect(bestF1(curve)).toEqual({ f1: expect.closeTo(0.8), threshold: 0.5 });
  });
  it("are found under the pointer", () => {
    const curves = [curveAt("a", answer, null)!];
    const layout = layoutCurves(curves, 400, 300)!;
    expect(nearestPoint(layout, curves, layout.x(0.8) + 2, layout.y(0.8))).toEqual({ curve: 0, at: 1 });
    expect(nearestPoint(layout, curves, layout.x(0.2), layout.y(0))).toBeNull();
  });
});
