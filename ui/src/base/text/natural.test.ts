import { expect, it } from "vitest";
import { byNumber, inNaturalOrder } from "./natural";

it("reads digits as numbers", () => {
  expect(["layer10", "layer2", "layer1.10", "layer1.9", "layer"].sort(byNumber)).toEqual([
    "layer",
    "layer1.9",
    "layer1.10",
    "layer2",
    "layer10",
  ]);
});
it("keeps capitals among the small letters, and equal names apart", () => {
  expect(["b", "C", "a", "A", "10", "9"].sort(byNumber)).toEqual(["9", "10", "A", "a", "b", "C"]);
  expect(byNumber("x07", "x7")).not.toBe(0);
  expect(byNumber("same", "same")).toBe(0);
});
it("orders as well as it can what is longer than numbers are exact", () => {
  expect(byNumber("1".repeat(400), "2".repeat(400))).toBeLessThan(0);
});
it("is an order: whichever way around, the same response", () => {
  const names = ["a1b", "a1", "a01", "A1", "a 1", "1a", "", "é", "z", "a-1", "a_1"];
  for (const a of names) for (const b of names) expect(Math.sign(byNumber(a, b)) + Math.sign(byNumber(b, a))).toBe(0);
});
it("orders a whole list as it orders each two of it", () => {
  const names = ["run-10", "Run-2", "run-1", "run-100", "a", "run-2"];
  expect(inNaturalOrder(names)).toEqual([...names].sort(byNumber));
  expect(inNaturalOrder(names)).toEqual(["a", "run-1", "Run-2", "run-2", "run-10", "run-100"]);
});
