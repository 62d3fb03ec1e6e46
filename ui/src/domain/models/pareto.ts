// The Pareto front of a set of points.

export interface Candidate {
  readonly x: number;
  readonly y: number;
}

/**
 * Indices of the points on the Pareto front, from the best x to the worst. Another point beats a point if it is at
 * least as good on both axes and better on one; if two points are equal, both are on the front. Points without a value
 * on both axes are left out.
 */
export function paretoFront(all: readonly Candidate[], xHigherIsBetter: boolean, yHigherIsBetter: boolean): number[] {
  const gx = (c: Candidate): number => (xHigherIsBetter ? c.x : -c.x);
  const gy = (c: Candidate): number => (yHigherIsBetter ? c.y : -c.y);
  const order = all
    .map((candidate, index) => ({ candidate, index }))
    .filter(({ candidate }) => Number.isFinite(candidate.x) && Number.isFinite(candidate.y))
    .sort((p, q) => gx(q.candidate) - gx(p.candidate) || gy(q.candidate) - gy(p.candidate));
  const front: number[] = [];
  let best = -Infinity;
  let last: Candidate | null = null;
  for (const { candidate, index } of order) {
    const same = last !== null && candidate.x === last.x && candidate.y === last.y;
    if (gy(candidate) > best || same) {
      front.push(index);
      best = gy(candidate);
      last = candidate;
    }
  }
  return front;
}
