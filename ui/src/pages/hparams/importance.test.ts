import { describe, expect, it } from "vitest";
import type { Column } from "./data";
import { importances, omegaSquared, rankCorrelation } from "./importance";

const column = (id: string, values: Column["values"], isMetric = false): Column => ({
  id,
  label: id,
  description: "",
  isMetric,
  isNumeric: values.every((v) => v === null || typeof v === "number"),
  values,
  varies: new Set(values).size > 1,
});

describe("what matters", () => {
  it("is what the metric follows", () => {
    const bits = [4, 4, 4, 8, 8, 8, 4, 8];
    const noise = ["x", "y", "x", "y", "x", "y", "y", "x"];
    const accuracy = bits.map((b, i) => 0.9 + b / 100 + (i % 3) / 1000);
    const [first, second] = importances(
      [column("noise", noise), column("bits", bits), column("acc", accuracy, true)],
      column("acc", accuracy, true),
    );
    expect(first!.column.id).toBe("bits");
    expect(first!.share!).toBeGreaterThan(0.95);
    expect(first!.direction!).toBeGreaterThan(0.8);
    expect(first!.levels.map(({ text, trials }) => [text, trials])).toEqual([
      ["4", 4],
      ["8", 4],
    ]);
    expect(second!.share!).toBeLessThan(0.2);
    expect(second!.direction).toBeNull();
  });
  it("is not told of settings that differ in every trial, or of too few trials", () => {
    const accuracy = [0.1, 0.4, 0.2, 0.9, 0.5, 0.3];
    const [name] = importances([column("name", ["a", "b", "c", "d", "e", "f"])], column("acc", accuracy, true));
    expect(name!.share).toBeNull();
    const [few] = importances([column("bits", [4, 8, null, null, null, null])], column("acc", accuracy, true));
    expect([few!.share, few!.trials]).toEqual([null, 2]);
  });
  it("puts numbers that are all different into groups", () => {
    const rates = Array.from({ length: 40 }, (_, i) => i / 40);
    const [rate] = importances(
      [column("lr", rates)],
      column(
        "acc",
        rates.map((r) => r * r),
        true,
      ),
    );
    expect(rate!.levels.length).toBe(5);
    expect(rate!.share!).toBeGreaterThan(0.9);
    expect(rate!.direction).toBeCloseTo(1);
  });
  it("is zero for chance, and follows its definition", () => {
    expect(
      omegaSquared([
        [1, 2, 3],
        [1, 2, 3],
      ]),
    ).toBe(0);
    // Sum of squares between groups 6, within groups 4 with 4 degrees of freedom, total 10: ω² = (6 - 1) / (10 + 1).
    expect(
      omegaSquared([
        [1, 2, 3],
        [3, 4, 5],
      ]),
    ).toBeCloseTo((6 - 1) / (10 + 1));
    expect(omegaSquared([[1], [2]])).toBeNull();
    expect(rankCorrelation([1, 2, 3], [3, 2, 1])).toBeCloseTo(-1);
    expect(rankCorrelation([1, 1, 1], [3, 2, 1])).toBeNull();
  });
});
