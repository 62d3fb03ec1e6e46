import { describe, expect, it } from "vitest";
import { chance, nearestNeighbours } from "./neighbours_graph";
import { edgesOf, UmapLayout } from "./umap";

/** Rows of clusters: `count` rows for each of the distant centres. */
function clusters(count: number, centres: number, width: number): Float32Array {
  const random = chance(5);
  const normal = (): number => random() + random() + random() - 1.5;
  const middles = Array.from({ length: centres * width }, () => 6 * normal());
  return Float32Array.from({ length: count * centres * width }, (_, at) => {
    const [row, c] = [Math.floor(at / width), at % width];
    return middles[(row % centres) * width + c]! + normal();
  });
}

function exactNeighbours(rows: Float32Array, width: number, i: number, k: number): Set<number> {
  const distances = Array.from({ length: rows.length / width }, (_, j) => {
    let sum = 0;
    for (let c = 0; c < width; c += 1) sum += (rows[i * width + c]! - rows[j * width + c]!) ** 2;
    return { j, sum };
  });
  return new Set(
    distances
      .filter(({ j }) => j !== i)
      .sort((p, q) => p.sum - q.sum)
      .slice(0, k)
      .map(({ j }) => j),
  );
}

describe("nearestNeighbours", () => {
  it("finds nearly all neighbours of thousands of rows without measuring all pairs", () => {
    const [width, k] = [12, 10];
    const rows = clusters(600, 8, width); // 4,800 rows are above the limit for exact distances.
    const found = nearestNeighbours(rows, width, k);
    let hits = 0;
    for (let i = 0; i < 200; i += 1) {
      const exact = exactNeighbours(rows, width, i * 24, k);
      for (let p = 0; p < k; p += 1) hits += Number(exact.has(found.rows[i * 24 * k + p]!));
    }
    expect(hits / (200 * k)).toBeGreaterThan(0.95);
  });
  it("is exact for few rows, the nearest first", () => {
    const found = nearestNeighbours(Float32Array.from([0, 1, 3, 7]), 1, 2);
    expect([...found.rows]).toEqual([1, 2, 0, 2, 1, 0, 2, 1]);
    expect([...found.distances]).toEqual([1, 3, 1, 2, 2, 3, 4, 6]);
  });
  it("survives equal rows and single ones", () => {
    expect(nearestNeighbours(new Float32Array(3000 * 2), 2, 5).rows.every((row) => row >= 0)).toBe(true);
    expect(nearestNeighbours(new Float32Array(2), 2, 5).rows).toHaveLength(1);
  });
});

describe("UmapLayout", () => {
  it("keeps clusters together and apart from each other", () => {
    const [width, centres] = [10, 5];
    const rows = clusters(60, centres, width);
    const n = rows.length / width;
    const start = Float32Array.from({ length: 3 * n }, (_, at) => rows[Math.floor(at / 3) * width + (at % 3)]!);
    const layout = new UmapLayout(edgesOf(nearestNeighbours(rows, width, 15)), start, true);
    while (layout.steps < layout.epochs) layout.step();
    const plane = Float32Array.from({ length: 2 * n }, (_, at) => layout.points[3 * (at >> 1) + (at % 2)]!);
    expect(plane.every(Number.isFinite)).toBe(true);
    const near = nearestNeighbours(plane, 2, 10);
    let pure = 0;
    for (let at = 0; at < near.rows.length; at += 1)
      pure += Number(near.rows[at]! % centres === Math.floor(at / near.k) % centres);
    expect(pure / near.rows.length).toBeGreaterThan(0.97);
    expect(layout.points.every((value, at) => at % 3 !== 2 || value === 0)).toBe(true);
  });
  it("gives the same picture every time", () => {
    const rows = clusters(20, 3, 4);
    const picture = (): number[] => {
      const layout = new UmapLayout(edgesOf(nearestNeighbours(rows, 4, 8)), rows.slice(0, 180), false);
      for (let i = 0; i < 20; i += 1) layout.step();
      return [...layout.points];
    };
    expect(picture()).toEqual(picture());
  });
});
