import { describe, expect, it } from "vitest";
import { metricsOf, readClasses, summaryOf } from "./class_rows";

const response = {
  snapshot: 1,
  classes: {
    metrics: ["accuracy", "accuracy", "accuracy", "error"],
    names: ["8", "1", "3", "8"],
    a: [0.95, 1, 0.9, 12],
    b: [0.9, 1, null, 30],
    drops: [0.05, 0, null, 18],
  },
};

describe("classes of a pair", () => {
  it("tells shares in per cent and what they lose in points", () => {
    expect(readClasses(response, "accuracy")[0]).toEqual({
      name: "8",
      a: "95.00 %",
      b: "90.00 %",
      drop: "5.00",
      unit: "pp",
      share: 1,
    });
  });
  it("says that a side is missing instead of calling it zero", () => {
    expect(readClasses(response, "accuracy")[2]).toMatchObject({ b: "–", drop: "–", share: 0 });
  });
  it("leaves other numbers as they are", () => {
    expect(readClasses(response, "error")[0]).toMatchObject({ a: "12", b: "30", drop: "18", unit: "" });
  });
  it("begins with the metric that most classes have, and sums up", () => {
    expect(metricsOf(response)).toEqual(["accuracy", "error"]);
    expect(summaryOf(readClasses(response, "accuracy"))).toBe("3 classes: only class 8 gets worse, by 5.00 pp");
    expect(summaryOf([])).toBe("0 classes: no class gets worse");
  });
});
