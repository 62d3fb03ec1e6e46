// The order of series on a page: the series with the most information come first.
import { byNumber } from "../../base/text/natural";

export interface Tagged {
  readonly tag: string;
  readonly steps: readonly [number, number];
}

const BIAS = /(^|[^a-z])bias(es)?([^a-z]|$)/i;

/**
 * Series with several steps come first. Within series with several steps and within series with one step, biases are
 * last, because a bias has only few values; otherwise the order is by name.
 */
export function tellingFirst(p: Tagged, q: Tagged): number {
  const rank = ({ tag, steps }: Tagged): number => 2 * Number(steps[0] === steps[1]) + Number(BIAS.test(tag));
  return rank(p) - rank(q) || byNumber(p.tag, q.tag);
}
