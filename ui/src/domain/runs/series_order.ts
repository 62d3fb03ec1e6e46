// Which of many series come first on a page: those that tell most.
import { byNumber } from "../../base/text/natural";

export interface Tagged {
  readonly tag: string;
  readonly steps: readonly [number, number];
}

const BIAS = /(^|[^a-z])bias(es)?([^a-z]|$)/i;

/** Series of several steps first, then the rest; within each, biases, which are only a few numbers, after the
 * others; then by name. */
export function tellingFirst(p: Tagged, q: Tagged): number {
  const rank = ({ tag, steps }: Tagged): number => 2 * Number(steps[0] === steps[1]) + Number(BIAS.test(tag));
  return rank(p) - rank(q) || byNumber(p.tag, q.tag);
}
