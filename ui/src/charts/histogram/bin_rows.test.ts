import { describe, expect, it } from "vitest";
import { binRows } from "./bin_rows";

describe("a histogram as a table", () => {
  it("has the filled bins, in per cent of each side", () => {
    expect(binRows({ edges: [0, 1, 2, 3, 4], a: [0, 1, 3, 0], b: [0, 5, 5, 0] })).toEqual([
      { from: 1, to: 2, a: 25, b: 50 },
      { from: 2, to: 3, a: 75, b: 50 },
    ]);
  });
  it("joins bins until there are few, and loses none", () => {
    const counts = Array.from({ length: 100 }, () => 1);
    const rows = binRows({ edges: Array.from({ length: 101 }, (_, i) => i), a: counts, b: null }, 8);
    expect(rows.length).toBeLessThanOrEqual(8);
    expect(rows.reduce((sum, row) => sum + (row.a ?? 0), 0)).toBeCloseTo(100);
    expect(rows.every((row) => row.b === null)).toBe(true);
    expect(rows.at(-1)!.to).toBe(100);
  });
  it("is empty without values", () => {
    expect(binRows({ edges: [0, 1], a: [0], b: null })).toEqual([]);
  });
});
