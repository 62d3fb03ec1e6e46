import { describe, expect, it } from "vitest";
import { coloursOf, readLabels } from "./labels";
import { neighbours, project } from "./pca";

// Along (1, 1, 0, 0) by 10, along (0, 0, 1, 0) by 2, hardly else.
const rows = Float32Array.from(Array.from({ length: 200 }, (_, i) => {
  const [big, small, least] = [10 * Math.sin(i), 2 * Math.cos(3 * i), 0.05 * Math.sin(7 * i)];
  return [big + 5, big - 3, small, least];
}).flat());

describe("a projection", () => {
  it("shows most of what differs first", () => {
    const { points, shares } = project(rows, 4);
    expect(shares[0]).toBeGreaterThan(0.95);
    expect(shares[0] + shares[1]).toBeGreaterThan(0.999);
    const spread = (axis: number): number => Math.max(...Array.from({ length: 200 }, (_, i) => Math.abs(points[3 * i + axis]!)));
    expect(spread(0)).toBeCloseTo(10 * Math.SQRT2, 0);
    expect(spread(1)).toBeCloseTo(2, 0);
  });
  it("is nothing where nothing differs", () => {
    expect(project(new Float32Array(12).fill(3), 4)).toEqual({ points: new Float32Array(9), shares: [0, 0, 0] });
    expect(project(new Float32Array(0), 4).points.length).toBe(0);
  });
  it("knows what is near", () => {
    const few = Float32Array.from([1, 0, 10, 0.1, 0, 1]);
    expect(neighbours(few, 2, 0, 2, "cosine").map(({ row }) => row)).toEqual([1, 2]);
    expect(neighbours(few, 2, 0, 2, "distance").map(({ row }) => row)).toEqual([2, 1]);
  });
});

describe("labels", () => {
  it("have a head only where they have columns", () => {
    expect(readLabels("a\nb\n")).toEqual({ columns: ["label"], rows: [["a"], ["b"]] });
    expect(readLabels("name\tclass\nx\t1\r\ny\t2")).toEqual({ columns: ["name", "class"], rows: [["x", "1"], ["y", "2"]] });
  });
  it("give colours where there are few values", () => {
    expect(coloursOf(readLabels("n\tc\na\t10\nb\t9\nc\t10"), 1)).toEqual({ colours: [2, 1, 2], values: ["9", "10"] });
    expect(coloursOf(readLabels(Array.from({ length: 20 }, (_, i) => `x${i}`).join("\n")), 0)).toBeNull();
  });
});
