import { expect, it } from "vitest";
import { nonFiniteNotes } from "./non_finite_notes";
import { layoutLines } from "./layout";

const layoutOf = (...lines: (readonly number[])[]) =>
  layoutLines(
    lines.map((ys, i) => ({ name: `run ${i}`, xs: ys.map((_, x) => x * 100), ys, smooth: null })),
    {
      width: 500,
      height: 240,
      logX: false,
      logY: false,
      clipOutliers: false,
      xRange: null,
      yRange: null,
      xText: (x) => x.toLocaleString("en"),
    },
  )!;
const notesOf = (...lines: (readonly number[])[]) => nonFiniteNotes(layoutOf(...lines), (text) => text.length * 6);
const before = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

it("says what is there instead of a number, and where", () => {
  expect(notesOf([...before(12), NaN, 13, 14, 15, 16, 17, 18, 19, 20]).map(({ text }) => text)).toEqual([
    "NaN at 1,200",
  ]);
  expect(notesOf([1, Infinity, 3]).map(({ text }) => text)).toEqual(["∞ at 100"]);
  expect(notesOf([1, 2, 3])).toEqual([]);
});

it("counts the others of the same line", () => {
  expect(notesOf([1, NaN, NaN, NaN]).map(({ text }) => text)).toEqual(["NaN at 100, 2 more"]);
});

it("stands on the other side of the mark where the chart ends, and at the foot for minus infinity", () => {
  const { box, x } = layoutOf([1, 2, NaN]);
  const [last] = notesOf([1, 2, NaN]);
  expect(last!.right).toBeLessThan(x(200));
  expect(notesOf([1, -Infinity, 3])[0]!.y).toBeGreaterThan((box.t + box.b) / 2);
});

it("leaves out a note that would lie on another", () => {
  expect(notesOf([1, NaN, 3], [2, NaN, 4])).toHaveLength(1);
  expect(notesOf([NaN, 2, 3, 4, 5], [1, 2, 3, NaN, 5])).toHaveLength(2);
});
