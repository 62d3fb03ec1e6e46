import { expect, it } from "vitest";
import type { Column } from "./data";
import { layoutMatrix } from "./matrix_layout";

const column = (id: string, values: (number | null)[], isMetric = false): Column => ({
  id,
  label: id,
  description: "",
  isMetric,
  isNumeric: true,
  values,
  varies: true,
});
const VIEW = { flip: new Set<string>(), log: new Set<string>() };
const dotsOf = (path: string | undefined): number => (path?.match(/M/g) ?? []).length;

it("draws every column against every metric, and no metric against itself", () => {
  const axes = [column("lr", [1, 2, 3]), column("acc", [0.1, 0.2, null], true), column("size", [5, 6, 7], true)];
  const layout = layoutMatrix(axes, ["heat-1", "heat-5", "heat-1"], 600, VIEW);
  expect(layout?.rows.map((row) => row.column.id)).toEqual(["acc", "size"]);
  expect(layout?.cells).toHaveLength(6);
  const [lrAcc, accAcc, sizeAcc, lrSize] = layout?.cells ?? [];
  expect(accAcc?.dots.size).toBe(0);
  // A trial with null has no dot.
  expect([dotsOf(lrAcc?.dots.get("heat-1")), dotsOf(lrAcc?.dots.get("heat-5"))]).toEqual([1, 1]);
  expect(dotsOf(sizeAcc?.dots.get("heat-1"))).toBe(1);
  expect(dotsOf(lrSize?.dots.get("heat-1"))).toBe(2);
});

it("needs room", () => {
  expect(layoutMatrix([column("a", [1]), column("b", [1], true)], [], 40, VIEW)).toBeNull();
});
