import { expect, it } from "vitest";
import { Columns, NOWHERE } from "./columns";

function groupsOf(
  xs: readonly number[],
  width: number,
  ys: readonly number[] | null = null,
): [start: number, column: number][] {
  const placed = new Columns(xs.length).place(xs, xs.length, width, ys);
  expect(placed.starts[placed.groups]).toBe(xs.length);
  return Array.from({ length: placed.groups }, (_, i) => [placed.starts[i]!, placed.columns[i]!]);
}

it("makes one group of neighbours in the same column, and of all that is left or right of the picture", () => {
  expect(groupsOf([-90, -1, 0, 0.4, 0.9, 1, 3.5, 4, 700], 4)).toEqual([
    [0, -1],
    [2, 0],
    [5, 1],
    [6, 3],
    [7, 4],
  ]);
});

it("places what is no number, or has no value, nowhere", () => {
  expect(groupsOf([NaN, 1, 1.1, 1.2, -Infinity], 4)).toEqual([
    [0, NOWHERE],
    [1, 1],
    [4, NOWHERE],
  ]);
  expect(groupsOf([1, 1.1, 1.2], 4, [5, NaN, 5])).toEqual([
    [0, 1],
    [1, NOWHERE],
    [2, 1],
  ]);
});

it("knows where the way from column to column crosses their edges, also backwards", () => {
  const { leaves, enters } = new Columns(3).place([0.5, 2.5, 0.5], 3, 4);
  expect([leaves[1], enters[1]]).toEqual([0.25, 0.75]);
  expect([leaves[2], enters[2]]).toEqual([0.25, 0.75]);
});

it("forgets what it placed before", () => {
  const columns = new Columns(3).place([0, 1, 2], 3, 3);
  expect(columns.place([0.5, 0.6], 2, 3).groups).toBe(1);
});
