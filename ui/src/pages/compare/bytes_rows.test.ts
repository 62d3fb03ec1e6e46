import { expect, test } from "vitest";
import { changeText, readBytes, shareOfSaving } from "./bytes_rows";

const response = {
  source: "logged" as const,
  problems: [],
  layers: { names: ["fc", "conv", "gone"], a: [4000, 400, 100], b: [1000, 100, null] },
};

test("bars share one scale, and a side that was not logged has none", () => {
  const { rows, total } = readBytes(response);
  expect(rows.map(({ barA, barB }) => [barA, barB])).toEqual([
    [1, 0.25],
    [0.1, 0.025],
    [0.025, 0],
  ]);
  expect(rows[2]?.b).toBeNull();
  expect(total).toEqual({ a: 4500, b: 1100 });
});

test("nothing logged gives no rows and no division by zero", () => {
  expect(readBytes({ ...response, layers: { names: ["x"], a: [0], b: [0] } }).rows[0]).toMatchObject({
    barA: 0,
    barB: 0,
  });
});

test("a change is said in per cent of A", () => {
  expect(changeText(4000, 1000)).toBe("−75 %");
  expect(changeText(1000, 1031)).toBe("+3.1 %");
  expect(changeText(5, 5)).toBe("=");
  expect(changeText(null, 5)).toBe("only in B");
  expect(changeText(5, null)).toBe("only in A");
  expect(changeText(0, 1500)).toBe("+1.50 kB");
});

test("the first rows' share of what was saved is known only where something was", () => {
  const { rows, total } = readBytes(response);
  expect(shareOfSaving(rows, total, 1)).toBeCloseTo(3000 / 3400);
  expect(shareOfSaving(rows, { a: 1, b: 2 }, 1)).toBeNull();
});
