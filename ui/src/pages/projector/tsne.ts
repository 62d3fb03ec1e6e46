// t-SNE: a layout in 2D or 3D in which points are close if their vectors are close (van der Maaten and Hinton, 2008).
// Exact: it uses all pairs, which is fast enough for a few thousand points. Pure and deterministic functions.

/** The max number of points, because with more points a step takes too long. */
export const MAX_POINTS = 2000;
/** The number of steps, after which a layout hardly changes. */
export const STEPS = 1000;

// In the first steps, attraction is exaggerated, so that clusters can pass each other while they are small.
const EXAGGERATION = 12;
const EXAGGERATED_STEPS = 250;
const START = 1e-4; // The size of the first layout: so small that every point can still move anywhere.
const NOTHING = 40; // Exponents beyond this are treated as a probability of 0.
const SPREAD_TOLERANCE = 1e-3; // The tolerance for the logarithm of the perplexity.

/** The requested perplexity, limited by the number of `points`. */
export function perplexityOf(asked: number, points: number): number {
  return Math.max(1, Math.min(asked, (points - 1) / 3));
}

/**
 * The squared distances between all vectors, row by row, scaled by the largest value; `onShare` gets the share of the
 * work that is done.
 */
export function squaredDistances(
  rows: Float32Array,
  width: number,
  onShare: (share: number) => void = () => undefined,
): Float32Array {
  const n = width > 0 ? Math.floor(rows.length / width) : 0;
  const squares = new Float32Array(n * n);
  const largest = rows.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  let told = 0;
  for (let i = 0; i < n; i += 1) {
    for (let j = i + 1; j < n; j += 1) {
      let sum = 0;
      for (let c = 0; c < width; c += 1) {
        const apart = rows[i * width + c]! - rows[j * width + c]!;
        sum += apart * apart;
      }
      squares[i * n + j] = squares[j * n + i] = sum / largest ** 2;
    }
    const share = 1 - ((n - i) / n) ** 2; // Later rows have fewer new pairs.
    if (share > told + 0.05) onShare((told = share));
  }
  return squares;
}

/**
 * Computes the probability that point `of` chooses each other point as its neighbour. The probabilities follow a
 * Gaussian whose width gives the perplexity. Writes them into `shares`; their sum is 1. Searches the precision of the
 * Gaussian, starting at `guess`, and returns it.
 */
function neighbourShares(
  squares: Float32Array,
  n: number,
  of: number,
  perplexity: number,
  shares: Float64Array,
  guess: number,
): number {
  const row = squares.subarray(of * n, (of + 1) * n);
  let nearest = Infinity;
  for (let j = 0; j < n; j += 1) if (j !== of && row[j]! < nearest) nearest = row[j]!;
  let [narrow, low, high] = [guess, 0, Infinity];
  for (let round = 0; round < 60; round += 1) {
    let [sum, weighted] = [0, 0];
    for (let j = 0; j < n; j += 1) {
      const beyond = row[j]! - nearest;
      const share = j === of || beyond * narrow > NOTHING ? 0 : Math.exp(-beyond * narrow);
      shares[j] = share;
      sum += share;
      weighted += share * beyond;
    }
    // The entropy: the logarithm of the effective number of neighbours.
    const spread = Math.log(sum) + (narrow * weighted) / sum;
    for (let j = 0; j < n; j += 1) shares[j]! /= sum;
    const excess = spread - Math.log(perplexity);
    if (Math.abs(excess) < SPREAD_TOLERANCE) return narrow;
    if (excess > 0) low = narrow;
    else high = narrow;
    narrow = high === Infinity ? narrow * 2 : (low + high) / 2;
  }
  // So many points are equally near that no width gives this perplexity. The search for the next point starts from the
  // old guess.
  return guess;
}

/** The affinity of each pair, row by row; the sum of all is 1. */
export function affinities(squares: Float32Array, n: number, perplexity: number): Float32Array {
  const result = new Float32Array(n * n);
  const shares = new Float64Array(n);
  let mean = 0;
  for (let k = 0; k < squares.length; k += 1) mean += squares[k]! / squares.length;
  let narrow = mean > 0 ? 1 / mean : 1; // The precision of one point is a good start for the next point.
  for (let i = 0; i < n; i += 1) {
    narrow = neighbourShares(squares, n, i, perplexity, shares, narrow);
    for (let j = 0; j < n; j += 1) {
      result[i * n + j]! += shares[j]! / (2 * n);
      result[j * n + i]! += shares[j]! / (2 * n);
    }
  }
  return result;
}

/** Returns a deterministic generator of pseudo-random numbers between -1 and 1. */
function chance(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0; // The generator of Numerical Recipes.
    return state / 2 ** 31;
  };
}

/** A layout that is being computed. `points` are x, y, z of each point; in 2D, z stays 0. */
export class Layout {
  readonly points: Float64Array;
  steps = 0;
  private readonly n: number;
  private readonly moves: Float64Array;
  private readonly gains: Float64Array;
  private readonly pulls: Float64Array;
  private readonly pushes: Float64Array;

  /** `start` are x, y, z of each point; a good start are the first principal components. */
  constructor(
    private readonly together: Float32Array,
    start: Float32Array,
    flat: boolean,
  ) {
    this.n = start.length / 3;
    this.moves = new Float64Array(3 * this.n);
    this.gains = new Float64Array(3 * this.n).fill(1);
    this.pulls = new Float64Array(3 * this.n);
    this.pushes = new Float64Array(3 * this.n);
    const far = start.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
    const next = chance();
    // Small random offsets separate points that would otherwise stay on a common line.
    this.points = Float64Array.from(start, (value, k) =>
      flat && k % 3 === 2 ? 0 : START * (value / far + 0.01 * next()),
    );
  }

  /**
   * Computes attraction between similar points and repulsion between all points; returns the sum of all similarities in
   * the layout.
   */
  private forces(): number {
    const { n, points, together, pulls, pushes } = this;
    pulls.fill(0);
    pushes.fill(0);
    let total = 0;
    for (let i = 0; i < n; i += 1) {
      const [x, y, z] = [points[3 * i]!, points[3 * i + 1]!, points[3 * i + 2]!];
      let [pullX, pullY, pullZ, pushX, pushY, pushZ] = [0, 0, 0, 0, 0, 0];
      for (let j = i + 1; j < n; j += 1) {
        const dx = x - points[3 * j]!;
        const dy = y - points[3 * j + 1]!;
        const dz = z - points[3 * j + 2]!;
        const near = 1 / (1 + dx * dx + dy * dy + dz * dz);
        total += near;
        const pull = together[i * n + j]! * near;
        const push = near * near;
        pullX += pull * dx;
        pullY += pull * dy;
        pullZ += pull * dz;
        pushX += push * dx;
        pushY += push * dy;
        pushZ += push * dz;
        pulls[3 * j]! -= pull * dx;
        pulls[3 * j + 1]! -= pull * dy;
        pulls[3 * j + 2]! -= pull * dz;
        pushes[3 * j]! -= push * dx;
        pushes[3 * j + 1]! -= push * dy;
        pushes[3 * j + 2]! -= push * dz;
      }
      pulls[3 * i]! += pullX;
      pulls[3 * i + 1]! += pullY;
      pulls[3 * i + 2]! += pullZ;
      pushes[3 * i]! += pushX;
      pushes[3 * i + 1]! += pushY;
      pushes[3 * i + 2]! += pushZ;
    }
    return 2 * total;
  }

  step(): void {
    const early = this.steps < EXAGGERATED_STEPS;
    const [pulled, momentum] = early ? [EXAGGERATION, 0.5] : [1, 0.8];
    const rate = Math.max(this.n / EXAGGERATION / 4, 50); // The learning rate of Belkina et al., 2019.
    const total = this.forces() || 1;
    for (let k = 0; k < this.points.length; k += 1) {
      const slope = 4 * (pulled * this.pulls[k]! - this.pushes[k]! / total);
      // A coordinate gets a larger gain if it keeps its direction, and a smaller gain if it reverses its direction.
      const gain = Math.max(0.01, slope * this.moves[k]! < 0 ? this.gains[k]! + 0.2 : this.gains[k]! * 0.8);
      this.gains[k] = gain;
      this.moves[k] = momentum * this.moves[k]! - rate * gain * slope;
      this.points[k]! += this.moves[k]!;
    }
    this.steps += 1;
  }
}
