import { describe, expect, it } from "vitest";
import type { Column } from "./data";
import { layoutScatter, nearestPoint, wordsApart } from "./scatter_layout";

const column = (id: string, values: Column["values"], isMetric = false): Column => ({
  id,
  label: id,
  description: "",
  isMetric,
  isNumeric: values.every((v) => v === null || typeof v === "number"),
  values,
  varies: true,
});
const view = { log: new Set<string>(), flip: new Set<string>() };
const bits = column("bits", [4, 8, null, 8]);
const accuracy = column("acc", [0.5, 1, 0.7, null], true);

it("gives a point to every trial that has both values", () => {
  const layout = layoutScatter(bits, accuracy, 400, 300, view)!;
  expect(layout.points.map(({ index }) => index)).toEqual([0, 1]);
  const [low, high] = layout.points;
  expect(low!.x).toBeLessThan(high!.x);
  expect(low!.y).toBeGreaterThan(high!.y);
  for (const { x, y } of layout.points) {
    expect(x).toBeGreaterThanOrEqual(layout.left);
    expect(x).toBeLessThanOrEqual(layout.right);
    expect(y).toBeGreaterThanOrEqual(layout.top);
    expect(y).toBeLessThanOrEqual(layout.bottom);
  }
});

it("leaves room for the outermost points, and none for those of a word among those of the next", () => {
  const words = column(
    "scheme",
    Array.from({ length: 90 }, (_, i) => `s${i % 9}`),
  );
  const layout = layoutScatter(
    words,
    column(
      "acc",
      words.values.map((_, i) => i),
      true,
    ),
    390,
    300,
    view,
  )!;
  const places = (word: string): number[] =>
    layout.points.filter(({ index }) => words.values[index] === word).map(({ x }) => x);
  expect(Math.max(...places("s0"))).toBeLessThan(Math.min(...places("s1")));
  expect(Math.min(...layout.points.map(({ y }) => y)) - layout.top).toBeGreaterThan(4);
  expect(layout.bottom - Math.max(...layout.points.map(({ y }) => y))).toBeGreaterThan(4);
});

it("turns an axis over on request", () => {
  const [low, high] = layoutScatter(bits, accuracy, 400, 300, { ...view, flip: new Set(["acc"]) })!.points;
  expect(low!.y).toBeLessThan(high!.y);
});

it("keeps trials of one word apart", () => {
  const scheme = column("scheme", ["sym", "sym", "sym"]);
  const layout = layoutScatter(scheme, column("acc", [1, 1, 1], true), 400, 300, view)!;
  expect(new Set(layout.points.map(({ x }) => x)).size).toBe(3);
});

it("finds what is pointed at, and nothing far from all", () => {
  const layout = layoutScatter(bits, accuracy, 400, 300, view)!;
  const { x, y } = layout.points[1]!;
  expect(nearestPoint(layout, x + 3, y - 3)).toBe(1);
  expect(nearestPoint(layout, (layout.left + layout.right) / 2, (layout.top + layout.bottom) / 2)).toBeNull();
});

it("needs room", () => {
  expect(layoutScatter(bits, accuracy, 100, 300, view)).toBeNull();
});

describe("words below an axis", () => {
  const named = (step: number): { at: number; text: string }[] =>
    ["GPTQ W4G128Asym", "GPTQ W4G128Sym", "int8", "pruned_by_half"].map((text, i) => ({ at: i * step, text }));
  it("are all there and differ, shorter where they stand close", () => {
    const words = wordsApart(named(94)).map(({ text }) => text);
    expect(words).toEqual(["GPTQ …8Asym", "GPTQ …28Sym", "int8", "prune…_half"]);
    expect(wordsApart(named(200)).map(({ text }) => text)).toContain("GPTQ W4G128Sym");
  });
  it("are left out where not even short ones have room", () => {
    expect(wordsApart(named(30)).length).toBe(2);
  });
  it("are as they are when there is one, or none", () => {
    expect(wordsApart([{ at: 5, text: "int8" }])).toEqual([{ at: 5, text: "int8" }]);
    expect(wordsApart([])).toEqual([]);
    expect(
      wordsApart(
        [
          { at: 0, text: "123,456,789" },
          { at: 90, text: "2" },
        ],
        true,
      )[0]!.text,
    ).toBe("123,456,789");
  });
});
