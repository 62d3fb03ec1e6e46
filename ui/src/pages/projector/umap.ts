// UMAP: a layout in 2D or 3D that preserves the nearest neighbours of vectors (McInnes, Healy and Melville, 2018). Pure
// and deterministic functions.
import { chance, type Neighbourhoods } from "./neighbours_graph";

export const MAX_NEIGHBOURS = 100;

/** The number of epochs (passes over all edges) of a layout. */
export const epochsFor = (points: number): number => (points <= 10_000 ? 500 : 200);

// The similarity at distance d in the layout is 1 / (1 + A d^2). The original uses d^1.79 by default; the square is
// used because the power function would take most of the time.
const A = 1.58;
const PUSHES = 5; // Random points that repel, for every edge that attracts.
const MAX_MOVE = 4;
const START_SIZE = 10;

/** Edges between neighbours in both directions, with weights from 0 to 1. */
export interface Edges {
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly weights: Float32Array;
}

/**
 * For each row, the distance up to which a neighbour has the full weight, and the scale on which the weight then
 * decreases.
 */
function scalesOf({ k, distances }: Neighbourhoods): { near: Float32Array; widths: Float32Array } {
  const n = distances.length / k;
  const [near, widths] = [new Float32Array(n), new Float32Array(n)];
  const target = Math.log2(k);
  let total = 0;
  for (const distance of distances) total += Number.isFinite(distance) ? distance : 0;
  const mean = total / distances.length;
  for (let i = 0; i < n; i += 1) {
    const row = distances.subarray(i * k, (i + 1) * k);
    near[i] = row.find((distance) => distance > 0) ?? 0;
    let [low, high, width] = [0, Infinity, 1];
    for (let round = 0; round < 64; round += 1) {
      let sum = 0;
      for (const distance of row) sum += distance <= near[i]! ? 1 : Math.exp(-(distance - near[i]!) / width);
      if (Math.abs(sum - target) < 1e-5) break;
      if (sum > target) high = width;
      else low = width;
      width = high === Infinity ? width * 2 : (low + high) / 2;
    }
    widths[i] =
      Math.max(
        width,
        1e-3 * (near[i]! > 0 ? row.reduce((sum, d) => sum + (Number.isFinite(d) ? d : 0), 0) / k : mean),
      ) || 1e-3;
  }
  return { near, widths };
}

/** The weight of an edge combines the weights a and b of both directions: a + b - ab. */
export function edgesOf(found: Neighbourhoods): Edges {
  const { k, rows, distances } = found;
  const { near, widths } = scalesOf(found);
  const share = (at: number): number => {
    const i = Math.floor(at / k);
    return distances[at]! <= near[i]! ? 1 : Math.exp(-(distances[at]! - near[i]!) / widths[i]!);
  };
  const shareBack = (i: number, j: number): number => {
    for (let at = j * k; at < (j + 1) * k; at += 1) if (rows[at] === i) return share(at);
    return 0;
  };
  const [from, to, weights]: [number[], number[], number[]] = [[], [], []];
  for (let at = 0; at < rows.length; at += 1) {
    const [i, j] = [Math.floor(at / k), rows[at]!];
    if (j < 0) continue;
    const [there, back] = [share(at), shareBack(i, j)];
    if (back > 0 && j < i) continue; // Each pair gets only one edge.
    from.push(i);
    to.push(j);
    weights.push(there + back - there * back);
  }
  return { from: Int32Array.from(from), to: Int32Array.from(to), weights: Float32Array.from(weights) };
}

/** A layout that is being computed. `points` are x, y, z of each point; in 2D, z stays 0. */
export class UmapLayout {
  readonly points: Float64Array;
  readonly epochs: number;
  steps = 0;
  private readonly n: number;
  private readonly size: number;
  private readonly every: Float32Array; // The number of epochs between two updates of an edge.
  private readonly due: Float32Array;
  private readonly random = chance(3);

  /** `start` are x, y, z of each point; a good start are the first principal components. */
  constructor(
    private readonly edges: Edges,
    start: Float32Array,
    flat: boolean,
  ) {
    this.n = start.length / 3;
    this.size = flat ? 2 : 3;
    this.epochs = epochsFor(this.n);
    const largest = start.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
    // Equal rows start with a small distance, so that they can be distinguished.
    this.points = Float64Array.from(start, (value, at) =>
      flat && at % 3 === 2 ? 0 : (START_SIZE * value) / largest + 1e-3 * (this.random() - 0.5),
    );
    const heaviest = edges.weights.reduce((most, weight) => Math.max(most, weight), 0) || 1;
    this.every = edges.weights.map((weight) => (weight * this.epochs < heaviest ? Infinity : heaviest / weight));
    this.due = this.every.slice();
  }

  /** Updates all edges that are due in this epoch. */
  step(): void {
    const { from, to } = this.edges;
    const rate = Math.max(0, 1 - this.steps / this.epochs);
    this.steps += 1;
    for (let e = 0; e < from.length; e += 1) {
      if (this.due[e]! > this.steps) continue;
      this.due[e]! += this.every[e]!;
      const [i, j] = [from[e]!, to[e]!];
      this.pull(i, j, rate);
      for (let p = 0; p < PUSHES; p += 1) {
        this.push(i, Math.floor(this.random() * this.n), rate);
        this.push(j, Math.floor(this.random() * this.n), rate);
      }
    }
  }

  private squared(i: number, j: number): number {
    let sum = 0;
    for (let c = 0; c < this.size; c += 1) {
      const apart = this.points[3 * i + c]! - this.points[3 * j + c]!;
      sum += apart * apart;
    }
    return sum;
  }

  private pull(i: number, j: number, rate: number): void {
    this.move(i, j, (-2 * A) / (1 + A * this.squared(i, j)), rate, true);
  }

  private push(i: number, j: number, rate: number): void {
    if (i === j) return;
    const squared = this.squared(i, j);
    this.move(i, j, 2 / ((0.001 + squared) * (1 + A * squared)), rate, false);
  }

  private move(i: number, j: number, factor: number, rate: number, both: boolean): void {
    for (let c = 0; c < this.size; c += 1) {
      const apart = this.points[3 * i + c]! - this.points[3 * j + c]!;
      const way = Math.max(-MAX_MOVE, Math.min(MAX_MOVE, factor * apart)) * rate;
      this.points[3 * i + c]! += way;
      if (both) this.points[3 * j + c]! -= way;
    }
  }
}
