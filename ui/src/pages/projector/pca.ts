// The three directions in which vectors differ most (principal components), and the vectors seen
// along them. Pure.

export interface Projected {
  /** x, y, z of each row. */
  readonly points: Float32Array;
  /** The share of all differences that each direction shows. */
  readonly shares: readonly [number, number, number];
}

// The directions of some thousand rows are those of all of them, as far as eyes can tell.
const MOST_ROWS = 2000;
const ROUNDS = 40;

function meanOf(rows: Float32Array, count: number, width: number): Float64Array {
  const mean = new Float64Array(width);
  for (let r = 0; r < count; r += 1) for (let c = 0; c < width; c += 1) mean[c]! += rows[r * width + c]! / count;
  return mean;
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
    const length = Math.hypot(...next);
    if (!(length > 1e-12)) return { direction: new Float64Array(width), spread: 0 };
    spread = length;
    direction = next.map((value) => value / length);
  }
  return { direction, spread };
}

export function project(rows: Float32Array, width: number): Projected {
  const count = width > 0 ? Math.floor(rows.length / width) : 0;
  const mean = meanOf(rows, count, width);
  const stride = Math.max(1, Math.ceil(count / MOST_ROWS));
  const sample = Math.ceil(count / stride);
  const centred = new Float64Array(sample * width);
  for (let r = 0; r < sample; r += 1) for (let c = 0; c < width; c += 1) centred[r * width + c] = rows[r * stride * width + c]! - mean[c]!;
  const total = centred.reduce((sum, value) => sum + value * value, 0) || 1;
  const found: { direction: Float64Array; spread: number }[] = [];
  for (let i = 0; i < 3; i += 1) found.push(strongest(centred, width, found.map(({ direction }) => direction)));
  const points = new Float32Array(3 * count);
  for (let r = 0; r < count; r += 1) {
    found.forEach(({ direction }, i) => {
      let along = 0;
      for (let c = 0; c < width; c += 1) along += (rows[r * width + c]! - mean[c]!) * direction[c]!;
      points[3 * r + i] = along;
    });
  }
  const share = (i: number): number => Math.min(1, (found[i]?.spread ?? 0) / total);
  return { points, shares: [share(0), share(1), share(2)] };
}

/** The rows most like one of them, the nearest first: by the angle between them, or by distance. */
export function neighbours(rows: Float32Array, width: number, of: number, most: number, how: "cosine" | "distance"): { row: number; far: number }[] {
  const own = rows.subarray(of * width, (of + 1) * width);
  const ownLength = Math.hypot(...own) || 1;
  const all: { row: number; far: number }[] = [];
  for (let row = 0; row < rows.length / width; row += 1) {
    if (row === of) continue;
    let [dot, length, apart] = [0, 0, 0];
    for (let c = 0; c < width; c += 1) {
      const value = rows[row * width + c]!;
      dot += value * own[c]!;
      length += value * value;
      apart += (value - own[c]!) ** 2;
    }
    all.push({ row, far: how === "cosine" ? 1 - dot / ((Math.sqrt(length) || 1) * ownLength) : Math.sqrt(apart) });
  }
  return all.sort((p, q) => p.far - q.far).slice(0, most);
}
