// PCA: the three directions of largest variance (principal components), and the vectors projected onto them. Pure
// functions.

export interface Projected {
  /** The projected x, y, z of each row; NaN for rows with a non-finite value. */
  readonly points: Float32Array;
  /** The share of the total variance along each direction. */
  readonly shares: readonly [number, number, number];
}

// The number of directions that are computed together: one more than needed, so that directions of equal variance are
// all found.
const BLOCK = 4;
const MAX_BASIS = 48; // The max size of the basis; then it is restarted with its best KEPT directions.
const KEPT = 8;
const MAX_RESTARTS = 200;
const SETTLED = 1e-9; // The tolerance of a direction, relative to the largest variance.
const NOTHING = 1e-13; // Below this share of the total variance, only rounding errors remain.
const MAX_COVARIANCE = 1024; // Up to this number of columns, the covariance matrix is computed and stored.
const MAX_SAMPLE = 1000; // The number of rows from which the first estimate is computed.

type Vector = Float64Array;

const dot = (a: Vector, b: Vector): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i]! * b[i]!;
  return sum;
};

const lengthOf = (vector: Float64Array | Float32Array): number => {
  let squares = 0;
  for (let i = 0; i < vector.length; i += 1) squares += vector[i]! * vector[i]!;
  return Math.sqrt(squares);
};

function addTo(vector: Vector, factor: number, other: Vector): void {
  for (let i = 0; i < vector.length; i += 1) vector[i]! += factor * other[i]!;
}

function combined(vectors: readonly Vector[], factors: readonly number[]): Vector {
  const result = new Float64Array(vectors[0]?.length ?? 0);
  vectors.forEach((vector, i) => addTo(result, factors[i] ?? 0, vector));
  return result;
}

function isFinite(rows: Float32Array, width: number, row: number): boolean {
  for (let c = row * width; c < (row + 1) * width; c += 1) if (!Number.isFinite(rows[c])) return false;
  return true;
}

/** Eigenvalues and eigenvectors of a small symmetric matrix, the largest first, by Jacobi rotations. */
function eigen(matrix: readonly (readonly number[])[]): { values: number[]; vectors: number[][] } {
  const n = matrix.length;
  const a = matrix.map((row) => [...row]);
  const v: number[][] = a.map((_, i) => a.map((__, j) => (i === j ? 1 : 0)));
  for (let sweep = 0; sweep < 60; sweep += 1) {
    let [off, all] = [0, 0];
    for (let i = 0; i < n; i += 1)
      for (let j = 0; j < n; j += 1) {
        all += a[i]![j]! ** 2;
        if (i !== j) off += a[i]![j]! ** 2;
      }
    if (off <= 1e-30 * all) break;
    for (let p = 0; p < n; p += 1)
      for (let q = p + 1; q < n; q += 1) {
        if (a[p]![q] === 0) continue;
        const theta = (a[q]![q]! - a[p]![p]!) / (2 * a[p]![q]!);
        const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
        const c = 1 / Math.sqrt(t * t + 1);
        const s = t * c;
        for (let k = 0; k < n; k += 1) {
          const [kp, kq] = [a[k]![p]!, a[k]![q]!];
          a[k]![p] = c * kp - s * kq;
          a[k]![q] = s * kp + c * kq;
        }
        for (let k = 0; k < n; k += 1) {
          const [pk, qk] = [a[p]![k]!, a[q]![k]!];
          a[p]![k] = c * pk - s * qk;
          a[q]![k] = s * pk + c * qk;
          const [vp, vq] = [v[p]![k]!, v[q]![k]!];
          v[p]![k] = c * vp - s * vq;
          v[q]![k] = s * vp + c * vq;
        }
      }
  }
  const order = a.map((_, i) => i).sort((i, j) => a[j]![j]! - a[i]![i]!);
  return { values: order.map((i) => a[i]![i]!), vectors: order.map((i) => v[i]!) };
}

/** Some rows with their mean subtracted (X), and the product X'X v with a vector v. */
class Centred {
  readonly mean: Vector;
  readonly total: number;
  private products: Vector | null = null;

  constructor(
    readonly rows: Float32Array,
    readonly width: number,
    readonly chosen: Uint32Array,
  ) {
    // Sums differences from the first row, so that the mean of a constant column is exact.
    const first = (chosen[0] ?? 0) * width;
    const mean = new Float64Array(width);
    for (const r of chosen) for (let c = 0; c < width; c += 1) mean[c]! += rows[r * width + c]! - rows[first + c]!;
    for (let c = 0; c < width; c += 1) mean[c] = (rows[first + c] ?? 0) + mean[c]! / (chosen.length || 1);
    this.mean = mean;
    let total = 0;
    for (const r of chosen) for (let c = 0; c < width; c += 1) total += (rows[r * width + c]! - mean[c]!) ** 2;
    this.total = total;
  }

  /** The matrix X'X, computed once for all directions: this is faster if there are more rows than columns. */
  private covariance(): Vector {
    const { rows, width, mean } = this;
    const products = new Float64Array(width * width);
    const row = new Float64Array(width);
    for (const r of this.chosen) {
      for (let c = 0; c < width; c += 1) row[c] = rows[r * width + c]! - mean[c]!;
      for (let i = 0; i < width; i += 1) {
        const [own, at] = [row[i]!, i * width];
        if (own !== 0) for (let j = i; j < width; j += 1) products[at + j]! += own * row[j]!;
      }
    }
    for (let i = 0; i < width; i += 1)
      for (let j = 0; j < i; j += 1) products[i * width + j] = products[j * width + i]!;
    return products;
  }

  along(row: number, direction: Vector): number {
    let sum = 0;
    const at = row * this.width;
    for (let c = 0; c < this.width; c += 1) sum += (this.rows[at + c]! - this.mean[c]!) * direction[c]!;
    return sum;
  }

  stretched(direction: Vector): Vector {
    const { rows, width, mean } = this;
    const result = new Float64Array(width);
    if (width <= MAX_COVARIANCE && this.chosen.length > width) {
      this.products ??= this.covariance();
      for (let i = 0; i < width; i += 1) result[i] = dot(this.products.subarray(i * width, (i + 1) * width), direction);
      return result;
    }
    for (const r of this.chosen) {
      const along = this.along(r, direction);
      const at = r * width;
      for (let c = 0; c < width; c += 1) result[c]! += along * (rows[at + c]! - mean[c]!);
    }
    return result;
  }
}

interface Direction {
  readonly direction: Vector;
  /** The sum of squares of the rows along the direction. */
  readonly spread: number;
}

/**
 * The three directions of largest variance, by block Lanczos with an orthogonal basis that is restarted when it is
 * full. `start` are initial directions. If the basis spans the whole space, the result is exact.
 */
function strongest(data: Centred, begin: readonly Vector[]): Direction[] {
  let basis: Vector[] = [];
  let images: Vector[] = [];
  let block: readonly Vector[] = begin;
  let best: Direction[] = [];
  for (let restart = 0; restart < MAX_RESTARTS;) {
    const before = basis.length;
    for (const vector of block) {
      const next = Float64Array.from(vector);
      const length = lengthOf(next);
      for (let twice = 0; twice < 2; twice += 1) for (const other of basis) addTo(next, -dot(next, other), other);
      const left = lengthOf(next);
      if (!(left > 1e-10 * length)) continue; // The direction is already in the basis.
      basis.push(next.map((value) => value / left));
    }
    if (basis.length === before) return best;
    for (let i = before; i < basis.length; i += 1) images.push(data.stretched(basis[i]!));
    const { values, vectors } = eigen(basis.map((v) => images.map((w) => dot(v, w))));
    const found = values
      .slice(0, KEPT)
      .map((value, i) => ({ value, vector: combined(basis, vectors[i]!), image: combined(images, vectors[i]!) }));
    const residuals = found.map(({ value, vector, image }) => {
      const residual = Float64Array.from(image);
      addTo(residual, -value, vector);
      return residual;
    });
    best = found.slice(0, 3).map(({ value, vector }) => ({ direction: vector, spread: Math.max(0, value) }));
    if (residuals.slice(0, 3).every((residual) => lengthOf(residual) <= SETTLED * (values[0] ?? 0))) return best;
    block = residuals.slice(0, BLOCK);
    if (basis.length + BLOCK > MAX_BASIS) {
      basis = found.map(({ vector }) => vector);
      images = found.map(({ image }) => image);
      restart += 1;
    }
  }
  return best;
}

export function project(rows: Float32Array, width: number): Projected {
  const count = width > 0 ? Math.floor(rows.length / width) : 0;
  const known = Uint32Array.from({ length: count }, (_, r) => r).filter((r) => isFinite(rows, width, r));
  const data = new Centred(rows, width, known);
  let begin: Vector[] = Array.from({ length: BLOCK }, (_, k) =>
    Float64Array.from({ length: width }, (__, i) => Math.sin(i * 12.9898 + k * 78.233) + 0.01),
  );
  // For long inputs, the directions of a sample of the rows are a good start, and fast to compute.
  const stride = Math.floor(known.length / MAX_SAMPLE);
  if (stride > 1 && width > MAX_COVARIANCE)
    begin = [
      ...strongest(
        new Centred(
          rows,
          width,
          known.filter((_, i) => i % stride === 0),
        ),
        begin,
      ).map(({ direction }) => direction),
      ...begin,
    ];
  const found = data.total > 0 ? strongest(data, begin).filter(({ spread }) => spread > NOTHING * data.total) : [];
  const points = new Float32Array(3 * count).fill(NaN);
  for (const r of known) {
    points.fill(0, 3 * r, 3 * r + 3);
    found.forEach(({ direction }, i) => (points[3 * r + i] = data.along(r, direction)));
  }
  const share = (i: number): number => (data.total > 0 ? Math.min(1, (found[i]?.spread ?? 0) / data.total) : 0);
  return { points, shares: [share(0), share(1), share(2)] };
}

export interface Neighbour {
  readonly row: number;
  readonly far: number;
}

export type Nearness = "cosine" | "distance";

/**
 * The rows most similar to one row, nearest first: by angle (cosine) or by Euclidean distance. Rows with a non-finite
 * value are left out.
 */
export function neighbours(rows: Float32Array, width: number, of: number, most: number, how: Nearness): Neighbour[] {
  const own = rows.subarray(of * width, (of + 1) * width);
  const ownLength = lengthOf(own) || 1;
  const all: Neighbour[] = [];
  for (let row = 0; row < rows.length / width; row += 1) {
    if (row === of) continue;
    let [dot, squares, apart] = [0, 0, 0];
    for (let c = 0; c < width; c += 1) {
      const value = rows[row * width + c]!;
      dot += value * own[c]!;
      squares += value * value;
      apart += (value - own[c]!) ** 2;
    }
    const far = how === "cosine" ? Math.max(0, 1 - dot / ((Math.sqrt(squares) || 1) * ownLength)) : Math.sqrt(apart);
    if (Number.isFinite(far)) all.push({ row, far });
  }
  return all.sort((p, q) => p.far - q.far).slice(0, most);
}
