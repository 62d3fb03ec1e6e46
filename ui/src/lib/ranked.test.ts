import { expect, it } from "vitest";
import { ranked } from "./ranked";

// Small and repeated values among them, so that every way through the partition is taken.
function someValues(count: number, seed: number): Float64Array {
  let state = seed;
  return Float64Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return seed % 2 === 0 ? state % 7 : state / 2 ** 32 - 0.5;
  });
}

it("finds what sorting would put there", () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const values = someValues(1 + (seed * 13) % 60, seed);
    const sorted = values.slice().sort();
    sorted.forEach((value, rank) => expect(ranked(values.slice(), rank)).toBe(value));
  }
});

it("takes sorted, reversed and equal values", () => {
  const rising = Float64Array.from({ length: 50 }, (_, i) => i);
  expect(ranked(rising.slice(), 7)).toBe(7);
  expect(ranked(rising.slice().reverse(), 7)).toBe(7);
  expect(ranked(new Float64Array(50).fill(3), 7)).toBe(3);
  expect(ranked(Float64Array.of(-Infinity, Infinity, 0), 2)).toBe(Infinity);
});

it("knows nothing of no values", () => {
  expect(ranked(new Float64Array(0), 0)).toBeNaN();
});
