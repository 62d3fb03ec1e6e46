// The three directions in which vectors differ most (principal components), and the vectors seen
// along them. Pure.

export interface Projected {
  /** x, y, z of each row; NaN for rows with a value that is no finite number. */
  readonly points: Float32Array;
  /** The share of all differences that each direction shows. */
  readonly shares: readonly [number, number, number];
}

// The directions of some thousand rows are those of all of them, as far as eyes can tell.
const MOST_ROWS = 2000;
const ROUNDS = 40;
const SETTLED = 1e-10; // Of a direction that the next round would not turn any more.

const lengthOf = (vector: Float64Array | Float32Array): number => {
  let squares = 0;
  for (let i = 0; i < vector.length; i += 1) squares += vector[i]! * vector[i]!;
  return Math.sqrt(squares);
};

function isFinite(rows: Float32Array, width: number, row: number): boolean {
  for (let c = row * width; c < (row + 1) * width; c += 1) if (!Number.isFinite(rows[c])) return false;
  return true;
}

/** The part of `centred` that goes along the strongest direction not among `others`: power iteration. */
function strongest(centred: Float64Array, width: number, others: readonly Float64Array[]): { direction: Float64Array; spread: number } {
  const rows = centred.length / width;
  let direction = Float64Array.from({ length: width }, (_, i) => Math.sin(i * 12.9898 + others.length * 78.233) + 0.01);
  let spread = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = new Float64Array(width);
    for (let r = 0; r < rows; r += 1) {
      let along = 0;
      for (let c = 0; c < width; c += 1) along += centred[r * width + c]! * direction[c]!;
      for (let c = 0; c < width; c += 1) next[c]! += along * centred[r * width + c]!;
    }
    for (const other of others) {
      const along = next.reduce((sum, value, c) => sum + value * other[c]!, 0);
      for (let c = 0; c < width; c += 1) next[c]! -= along * other[c]!;
    }
    const length = lengthOf(next);
    if (!(length > 1e-12)) return { direction: new Float64Array(width), spread: 0 };
    spread = length;
    let turned = 0;
    for (let c = 0; c < width; c += 1) {
      next[c]! /= length;
      turned += (next[c]! - direction[c]!) ** 2;
    }
    direction = next;
    if (turned < SETTLED) break;
  }
  return { direction, spread };
}

export function project(rows: Float32Array, width: number): Projected {
  const count = width > 0 ? Math.floor(rows.length / width) : 0;
  const known = Uint32Array.from({ length: count }, (_, r) => r).filter((r) => isFinite(rows, width, r));
  const mean = new Float64Array(width);
  for (const r of known) for (let c = 0; c < width; c += 1) mean[c]! += rows[r * width + c]! / known.length;
  const stride = Math.max(1, Math.ceil(known.length / MOST_ROWS));
  const sample = Math.ceil(known.length / stride);
  const centred = new Float64Array(sample * width);
  for (let i = 0; i < sample; i += 1) for (let c = 0; c < width; c += 1) centred[i * width + c] = rows[known[i * stride]! * width + c]! - mean[c]!;
  const total = centred.reduce((sum, value) => sum + value * value, 0) || 1;
  const found: { direction: Float64Array; spread: number }[] = [];
  for (let i = 0; i < 3; i += 1) found.push(strongest(centred, width, found.map(({ direction }) => direction)));
  const points = new Float32Array(3 * count).fill(NaN);
  for (const r of known) {
    found.forEach(({ direction }, i) => {
      let along = 0;
      for (let c = 0; c < width; c += 1) along += (rows[r * width + c]! - mean[c]!) * direction[c]!;
      points[3 * r + i] = along;
    });
  }
  const share = (i: number): number => Math.min(1, (found[i]?.spread ?? 0) / total);
  return { points, shares: [share(0), share(1), share(2)] };
}

export interface Neighbour {
  readonly row: number;
  readonly far: number;
}

export type Nearness = "cosine" | "distance";

/** The rows most like one of them, the nearest first: by the angle between them, or by distance. Rows
 * with a value that is no finite number are near nothing. */
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
