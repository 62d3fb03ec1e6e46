import { describe, expect, it } from "vitest";
import { colouringOf, firstColumn, readLabels } from "./labels";
import { withRoom } from "./paint";
import { neighbours, project } from "./pca";
import { placeInSprite, spriteSize } from "./sprite";

// Vectors with the standard deviation 10 along (1, 1, 0, 0), 2 along (0, 0, 1, 0), and almost 0 in other directions.
const rows = Float32Array.from(
  Array.from({ length: 200 }, (_, i) => {
    const [big, small, least] = [10 * Math.sin(i), 2 * Math.cos(3 * i), 0.05 * Math.sin(7 * i)];
    return [big + 5, big - 3, small, least];
  }).flat(),
);

describe("a projection", () => {
  it("shows most of what differs first", () => {
    const { points, shares } = project(rows, 4);
    expect(shares[0]).toBeGreaterThan(0.95);
    expect(shares[0] + shares[1]).toBeGreaterThan(0.999);
    const spread = (axis: number): number =>
      Math.max(...Array.from({ length: 200 }, (_, i) => Math.abs(points[3 * i + axis]!)));
    expect(spread(0)).toBeCloseTo(10 * Math.SQRT2, 0);
    expect(spread(1)).toBeCloseTo(2, 0);
  });
  it("is nothing where nothing differs", () => {
    expect(project(new Float32Array(12).fill(3), 4)).toEqual({ points: new Float32Array(9), shares: [0, 0, 0] });
    expect(project(new Float32Array(0), 4).points.length).toBe(0);
  });
  it("leaves rows that are not finite out, and the others where they were", () => {
    const broken = Float32Array.from([...rows, NaN, 1, 1, 1, 1, Infinity, 1, 1]);
    const [whole, part] = [project(rows, 4), project(broken, 4)];
    expect([...part.points.subarray(0, 600)]).toEqual([...whole.points]);
    expect([...part.points.subarray(600)].every(Number.isNaN)).toBe(true);
    expect(project(Float32Array.from([NaN, NaN]), 2).shares).toEqual([0, 0, 0]);
    expect(neighbours(broken, 4, 0, 1000, "distance")).toHaveLength(199);
    expect(neighbours(broken, 4, 200, 10, "cosine")).toEqual([]);
  });
  it("takes vectors of any length", () => {
    expect(
      project(
        Float32Array.from({ length: 400_000 }, (_, i) => i % 7),
        200_000,
      ).shares[0],
    ).toBeGreaterThan(0.99);
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
    expect(readLabels("name\tclass\nx\t1\r\ny\t2")).toEqual({
      columns: ["name", "class"],
      rows: [
        ["x", "1"],
        ["y", "2"],
      ],
    });
  });
  const column = (cells: readonly string[]): ReturnType<typeof readLabels> => ({
    columns: ["c"],
    rows: cells.map((cell) => [cell]),
  });
  it("give colours where there are few values, and shapes where there are more than colours", () => {
    const two = colouringOf(column(["10", "9", "10"]), 0);
    expect(two).toEqual({
      kind: "values",
      keys: [
        { value: "9", look: { colour: 1, shape: "disc" } },
        { value: "10", look: { colour: 2, shape: "disc" } },
      ],
      looks: [
        { colour: 2, shape: "disc" },
        { colour: 1, shape: "disc" },
        { colour: 2, shape: "disc" },
      ],
    });
    const ten = colouringOf(column(Array.from({ length: 10 }, (_, i) => String(i))), 0);
    if (ten?.kind !== "values") throw new Error("ten digits are values");
    expect(new Set(ten.looks.map(({ colour, shape }) => `${colour} ${shape}`)).size).toBe(10);
    expect(ten.looks[8]).toEqual({ colour: 1, shape: "square" });
  });
  it("give a ramp where there are many numbers, and nothing where there are only names", () => {
    const many = colouringOf(column([...Array.from({ length: 100 }, (_, i) => String(i / 2)), "unknown", ""]), 0);
    if (many?.kind !== "numbers") throw new Error("a hundred numbers are a ramp");
    expect([many.least, many.greatest, many.shares[0], many.shares[99]]).toEqual([0, 49.5, 0, 1]);
    expect(many.shares.slice(100).every(Number.isNaN)).toBe(true);
    expect(colouringOf(column(Array.from({ length: 100 }, (_, i) => `x${i}`)), 0)).toBeNull();
    expect(colouringOf(column(["a", "a"]), 0)).toBeNull();
  });
  it("are coloured by the first column that has colours", () => {
    const names = Array.from({ length: 60 }, (_, i) => [`word${i}`, i % 2 ? "noun" : "verb"]);
    expect(firstColumn({ columns: ["word", "kind"], rows: names })).toBe(1);
    expect(firstColumn({ columns: ["word"], rows: names })).toBe(0);
  });
});

describe("a sprite", () => {
  it("has the pictures of rows side by side, as many as fit", () => {
    const size = spriteSize([8, 4], 30, 12)!;
    expect(size).toEqual({ width: 8, height: 4, columns: 3 });
    expect(placeInSprite(size, 4)).toEqual([8, 4]);
  });
  it("of another size than it says is none", () => {
    for (const single of [null, [], [0, 0], [64, 64], [NaN, 3], [-1, 4]]) expect(spriteSize(single, 30, 12)).toBeNull();
  });
});

it("names do not lie over each other, and the first ones win", () => {
  expect(
    withRoom([
      { x: 0, y: 20, width: 40 },
      { x: 30, y: 25, width: 40 },
      { x: 30, y: 40, width: 40 },
      { x: 41, y: 20, width: 9 },
    ]),
  ).toEqual([true, false, true, true]);
});
