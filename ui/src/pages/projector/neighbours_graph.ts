// Finds the nearest neighbours of every vector without computing all distances: a few random trees give first
// candidates, and neighbours of neighbours improve them (NN-descent, Dong et al., 2011). Pure and deterministic
// functions.

export interface Neighbourhoods {
  readonly k: number;
  /** The indices of k neighbours per row, the nearest first; -1 if there are fewer. */
  readonly rows: Int32Array;
  readonly distances: Float32Array;
}

const EXACT_UP_TO = 2000; // Up to this number of rows, all distances are computed.
const MAX_WIDTH = 64; // Wider vectors are projected onto random directions, which approximately preserves distances.
const LEAF = 32;
const TREES = 8;
const MAX_ROUNDS = 6;
const CANDIDATES = 12; // The max number of neighbours of a row that are compared with each other in a round.
const SETTLED = 0.001; // The search ends when a smaller share of the neighbours changes in a round.

/** Returns a deterministic generator of pseudo-random numbers from 0 to 1. */
export function chance(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0; // The Mulberry32 generator.
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The vectors, scaled to values of about 1 and projected to at most MAX_WIDTH numbers. */
export function narrowed(rows: Float32Array, width: number): { rows: Float32Array; width: number } {
  const largest = rows.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  if (width <= MAX_WIDTH) return { rows: rows.map((value) => value / largest), width };
  const [n, random] = [Math.floor(rows.length / width), chance(7)];
  const directions = Float32Array.from({ length: width * MAX_WIDTH }, () => (random() < 0.5 ? -1 : 1));
  const result = new Float32Array(n * MAX_WIDTH);
  for (let i = 0; i < n; i += 1) {
    for (let c = 0; c < width; c += 1) {
      const value = rows[i * width + c]! / largest;
      if (value === 0) continue;
      for (let d = 0; d < MAX_WIDTH; d += 1) result[i * MAX_WIDTH + d]! += value * directions[c * MAX_WIDTH + d]!;
    }
  }
  return { rows: result, width: MAX_WIDTH };
}

class Search {
  readonly found: Neighbourhoods;
  private readonly fresh: Uint8Array;
  private readonly random = chance(1);

  constructor(
    private readonly rows: Float32Array,
    private readonly width: number,
    private readonly n: number,
    readonly k: number,
  ) {
    this.found = { k, rows: new Int32Array(n * k).fill(-1), distances: new Float32Array(n * k).fill(Infinity) };
    this.fresh = new Uint8Array(n * k);
  }

  private squared(i: number, j: number): number {
    let sum = 0;
    for (let c = 0, a = i * this.width, b = j * this.width; c < this.width; c += 1) {
      const apart = this.rows[a + c]! - this.rows[b + c]!;
      sum += apart * apart;
    }
    return sum;
  }

  /** Whether `j` became a neighbour of `i`. */
  private offer(i: number, j: number, distance: number): boolean {
    const { rows, distances } = this.found;
    const [first, last] = [i * this.k, i * this.k + this.k - 1];
    if (distance >= distances[last]!) return false;
    for (let at = first; at <= last; at += 1) if (rows[at] === j) return false;
    let at = last;
    for (; at > first && distances[at - 1]! > distance; at -= 1) {
      rows[at] = rows[at - 1]!;
      distances[at] = distances[at - 1]!;
      this.fresh[at] = this.fresh[at - 1]!;
    }
    rows[at] = j;
    distances[at] = distance;
    this.fresh[at] = 1;
    return true;
  }

  private compare(i: number, j: number): number {
    const distance = this.squared(i, j);
    return Number(this.offer(i, j, distance)) + Number(this.offer(j, i, distance));
  }

  compareAll(members: ArrayLike<number>): void {
    for (let p = 0; p < members.length; p += 1)
      for (let q = p + 1; q < members.length; q += 1) this.compare(members[p]!, members[q]!);
  }

  /**
   * Builds a random tree: divides the rows by random planes into groups of at most LEAF rows, and compares all rows of
   * a group.
   */
  plantTree(): void {
    const open = [Uint32Array.from({ length: this.n }, (_, i) => i)];
    for (let members = open.pop(); members; members = open.pop()) {
      if (members.length <= LEAF) {
        this.compareAll(members);
        continue;
      }
      const [a, b] = [this.pick(members), this.pick(members)];
      const normal = Float32Array.from(
        { length: this.width },
        (_, c) => this.rows[a * this.width + c]! - this.rows[b * this.width + c]!,
      );
      const heights = Float32Array.from(members, (row) => {
        let sum = 0;
        for (let c = 0; c < this.width; c += 1) sum += normal[c]! * this.rows[row * this.width + c]!;
        return sum;
      });
      const middle = heights.slice().sort()[heights.length >> 1]!;
      const low = members.filter((_, i) => heights[i]! < middle);
      const high = members.filter((_, i) => heights[i]! >= middle);
      // Equal rows cannot be divided by a plane.
      if (low.length === 0 || high.length === 0) open.push(members.slice(0, LEAF), members.slice(LEAF));
      else open.push(low, high);
    }
  }

  private pick(members: Uint32Array): number {
    return members[Math.floor(this.random() * members.length)]!;
  }

  /**
   * One round of NN-descent: two neighbours of a row are often close to each other, so their distance is measured. Pairs
   * that an earlier round has measured are skipped. Returns how many neighbours were replaced by closer ones.
   */
  improve(): number {
    const [fresh, known] = [this.lists(), this.lists()];
    const { rows } = this.found;
    for (let i = 0; i < this.n; i += 1) {
      for (let at = i * this.k; at < (i + 1) * this.k; at += 1) {
        const j = rows[at]!;
        if (j < 0) continue;
        const list = this.fresh[at] === 1 ? fresh : known;
        const taken = list.add(i, j, this.random);
        list.add(j, i, this.random);
        if (taken) this.fresh[at] = 0;
      }
    }
    let changes = 0;
    for (let i = 0; i < this.n; i += 1) {
      for (let p = 0; p < fresh.counts[i]!; p += 1) {
        const a = fresh.at(i, p);
        for (let q = p + 1; q < fresh.counts[i]!; q += 1)
          if (fresh.at(i, q) !== a) changes += this.compare(a, fresh.at(i, q));
        for (let q = 0; q < known.counts[i]!; q += 1)
          if (known.at(i, q) !== a) changes += this.compare(a, known.at(i, q));
      }
    }
    return changes;
  }

  private lists(): Lists {
    return new Lists(this.n);
  }
}

/** The candidates of each row: all of them, or a random selection if there are more than CANDIDATES. */
class Lists {
  readonly counts: Uint8Array;
  private readonly seen: Uint32Array;
  private readonly members: Int32Array;

  constructor(n: number) {
    this.counts = new Uint8Array(n);
    this.seen = new Uint32Array(n);
    this.members = new Int32Array(n * CANDIDATES);
  }

  at(row: number, place: number): number {
    return this.members[row * CANDIDATES + place]!;
  }

  /** Returns whether the member was added. */
  add(row: number, member: number, random: () => number): boolean {
    const seen = this.seen[row]!;
    this.seen[row] = seen + 1;
    const place = seen < CANDIDATES ? seen : Math.floor(random() * (seen + 1));
    if (place >= CANDIDATES) return false;
    this.members[row * CANDIDATES + place] = member;
    this.counts[row] = Math.min(seen + 1, CANDIDATES);
    return true;
  }
}

/** The `k` nearest rows of each row by Euclidean distance; `onShare` gets the share of the work that is done. */
export function nearestNeighbours(
  all: Float32Array,
  allWidth: number,
  k: number,
  onShare: (share: number) => void = () => undefined,
): Neighbourhoods {
  const n = allWidth > 0 ? Math.floor(all.length / allWidth) : 0;
  const { rows, width } = n > EXACT_UP_TO ? narrowed(all, allWidth) : { rows: all, width: allWidth };
  const search = new Search(rows, width, n, Math.max(1, Math.min(k, n - 1)));
  if (n <= EXACT_UP_TO) {
    search.compareAll(Uint32Array.from({ length: n }, (_, i) => i));
  } else {
    for (let tree = 0; tree < TREES; tree += 1) {
      search.plantTree();
      onShare((0.4 * (tree + 1)) / TREES);
    }
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const changes = search.improve();
      onShare(0.4 + (0.6 * (round + 1)) / MAX_ROUNDS);
      if (changes < SETTLED * n * search.k) break;
    }
  }
  const { distances } = search.found;
  for (let at = 0; at < distances.length; at += 1) distances[at] = Math.sqrt(distances[at]!);
  return search.found;
}
