// Which of many series come first on a page: those that tell most.
import { byNumber } from "./natural";

export interface Tagged {
  readonly tag: string;
  readonly steps: readonly [number, number];
}

const BIAS = /(^|[^a-z])bias(es)?([^a-z]|$)/i;

/** What was logged over several steps, then the rest; of each, biases, which are a few numbers, after the
 * others. Else by name. */
export function tellingFirst(p: Tagged, q: Tagged): number {
  const rank = ({ tag, steps }: Tagged): number => 2 * Number(steps[0] === steps[1]) + Number(BIAS.test(tag));
  return rank(p) - rank(q) || byNumber(p.tag, q.tag);
}
