import { describe, expect, it } from "vitest";
import { affinities, Layout, perplexityOf, squaredDistances } from "./tsne";
import { sampleOf } from "./usePointLayout";

const WIDTH = 12;
const GROUPS = 5;

/** Points in clusters around corners of a cube, one cluster after the other; deterministic. */
function groups(points: number, apart: number): Float32Array {
  return Float32Array.from({ length: points * WIDTH }, (_, k) => {
    const [row, c] = [Math.floor(k / WIDTH), k % WIDTH];
    return (c === row % GROUPS ? apart : 0) + Math.sin(row * 12.9898 + c * 78.233) * 0.5;
  });
}

/** A start in which no direction is special. */
const anyStart = (points: number): Float32Array =>
  Float32Array.from({ length: 3 * points }, (_, k) => Math.sin(k * 5.13));

function layoutOf(rows: Float32Array, steps: number, flat = true, perplexity = 10): Layout {
  const n = rows.length / WIDTH;
  const layout = new Layout(
    affinities(squaredDistances(rows, WIDTH), n, perplexityOf(perplexity, n)),
    anyStart(n),
    flat,
  );
  for (let i = 0; i < steps; i += 1) layout.step();
  return layout;
}

/** The share of the points whose nearest point is in the same cluster. */
function agreement(points: Float64Array): number {
  const n = points.length / 3;
  let same = 0;
  for (let i = 0; i < n; i += 1) {
    let [nearest, least] = [-1, Infinity];
    for (let j = 0; j < n; j += 1) {
      const far = Math.hypot(...[0, 1, 2].map((axis) => points[3 * i + axis]! - points[3 * j + axis]!));
      if (j !== i && far < least) [nearest, least] = [j, far];
    }
    if (nearest % GROUPS === i % GROUPS) same += 1;
  }
  return same / n;
}

/** The cost that t-SNE minimizes: the KL divergence of the layout. */
function divergence(together: Float32Array, points: Float64Array): number {
  const n = points.length / 3;
  const near = (i: number, j: number): number =>
    1 / (1 + [0, 1, 2].reduce((sum, axis) => sum + (points[3 * i + axis]! - points[3 * j + axis]!) ** 2, 0));
  let [total, sum] = [0, 0];
  for (let i = 0; i < n; i += 1) for (let j = 0; j < n; j += 1) if (i !== j) total += near(i, j);
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j < n; j += 1) {
      const p = together[i * n + j]!;
      if (i !== j && p > 0) sum += p * Math.log((p * total) / near(i, j));
    }
  }
  return sum;
}

describe("what belongs together", () => {
  const n = 60;
  const squares = squaredDistances(groups(n, 3), WIDTH);
  it("is the same both ways, nothing for a point itself, and 1 in all", () => {
    const together = affinities(squares, n, 8);
    expect(together.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 5);
    for (let i = 0; i < n; i += 1) {
      expect(together[i * n + i]).toBe(0);
      for (let j = 0; j < i; j += 1) expect(together[i * n + j]).toBe(together[j * n + i]);
    }
  });
  it("is spread over about as many neighbours as the perplexity says", () => {
    // All points of a ring have equal neighbourhoods, so the affinities of a row, times n, are its conditional
    // probabilities.
    const ring = Float32Array.from({ length: 2 * 200 }, (_, k) =>
      (k % 2 ? Math.sin : Math.cos)((Math.floor(k / 2) * Math.PI) / 100),
    );
    for (const perplexity of [5, 30]) {
      const row = affinities(squaredDistances(ring, 2), 200, perplexity)
        .subarray(0, 200)
        .map((p) => p * 200);
      expect(Math.exp(-row.reduce((sum, p) => sum + (p > 0 ? p * Math.log(p) : 0), 0))).toBeCloseTo(perplexity, 0);
    }
  });
  it("is the same for points after a crowd that nothing can tell apart", () => {
    const crowd = new Float32Array(20 * 2);
    const apart = Float32Array.from({ length: 2 * 30 }, (_, k) => Math.sin(k * 3.7) + (k % 2));
    const spread = (rows: Float32Array, of: number): number => {
      const n = rows.length / 2;
      const row = affinities(squaredDistances(rows, 2), n, 3).subarray(of * n, (of + 1) * n);
      return row.reduce((sum, p) => sum + p, 0) * n;
    };
    const [first, last] = [Float32Array.from([...crowd, ...apart]), Float32Array.from([...apart, ...crowd])];
    for (let i = 0; i < 30; i += 1) expect(spread(first, 20 + i)).toBeCloseTo(spread(last, i), 2);
  });
  it("has as many neighbours as there are points for", () => {
    expect([perplexityOf(30, 1000), perplexityOf(30, 31), perplexityOf(30, 2), perplexityOf(30, 0)]).toEqual([
      30, 10, 1, 1,
    ]);
  });
});

describe("a layout", () => {
  it("parts groups that differ, in a plane and in space, wherever they begin", () => {
    const rows = groups(150, 3);
    expect(agreement(layoutOf(rows, 0).points)).toBeLessThan(0.5);
    const flat = layoutOf(rows, 400).points;
    expect(agreement(flat)).toBeGreaterThan(0.98);
    expect(flat.every((value, k) => k % 3 !== 2 || value === 0)).toBe(true);
    expect(agreement(layoutOf(rows, 400, false).points)).toBeGreaterThan(0.98);
  });
  it("becomes better with every hundred steps once groups are no longer pulled together", () => {
    const rows = groups(100, 1);
    const together = affinities(squaredDistances(rows, WIDTH), 100, 10);
    const layout = layoutOf(rows, 250);
    let last = divergence(together, layout.points);
    for (let round = 0; round < 4; round += 1) {
      for (let i = 0; i < 100; i += 1) layout.step();
      const now = divergence(together, layout.points);
      expect(now).toBeLessThan(last);
      last = now;
    }
  });
  it("is the same every time", () => {
    expect(layoutOf(groups(40, 2), 50).points).toEqual(layoutOf(groups(40, 2), 50).points);
  });
  it("stays finite for points that are all alike, or one, or none, or far away", () => {
    const wild = groups(20, 1).map((value, k) => (k % 7 === 0 ? 1e37 * value : value));
    for (const rows of [new Float32Array(WIDTH * 9), new Float32Array(WIDTH), new Float32Array(0), wild]) {
      expect(layoutOf(rows, 300).points.every(Number.isFinite)).toBe(true);
    }
  });
  it("takes some thousand points, evenly chosen, and only finite ones", () => {
    const points = Float32Array.from({ length: 3 * 11 }, (_, k) => (k < 3 ? NaN : k));
    expect(sampleOf(points, 20)).toEqual({ rows: Uint32Array.from([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), stride: 1 });
    expect(sampleOf(points, 4)).toEqual({ rows: Uint32Array.from([1, 4, 7, 10]), stride: 3 });
  });
});
