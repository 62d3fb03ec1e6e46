import { describe, expect, it } from "vitest";
import { lineName } from "./lines";
import { sortedRows, valueRows } from "./value_rows";

const line = (name: string, ys: number[]) => ({ name, xs: ys.map((_, i) => i * 10), ys, smooth: null });

describe("the table of a chart", () => {
  const lines = [line("a", [5, 1, 3]), line("b", [2, NaN, 9])];
  it("shows the last values, or those at the mark", () => {
    expect(valueRows(lines, []).map(({ value, x }) => [value, x])).toEqual([
      [3, 20],
      [9, 20],
    ]);
    expect(valueRows(lines, [8]).map(({ value, x }) => [value, x])).toEqual([
      [1, 10],
      [NaN, 10],
    ]);
  });
  it("sums up a marked range", () => {
    expect(valueRows(lines, [0, 20])[0]!.over).toEqual({ start: 5, end: 3, least: 1, greatest: 5 });
    expect(valueRows(lines, [0, 20])[1]!.over).toEqual({ start: 2, end: 9, least: 2, greatest: 9 });
  });
  it("sorts what is no number last either way", () => {
    const rows = valueRows([...lines, line("c", [0, 7])], [10]);
    const names = (descending: boolean) => sortedRows(rows, "value", descending).map((row) => row.line.name);
    expect(names(false)).toEqual(["a", "c", "b"]);
    expect(names(true)).toEqual(["c", "a", "b"]);
  });
});

describe("lines of several tags", () => {
  it("keep the colour of their run and tell tags by dashes", () => {
    const tags = ["train/loss", "eval/loss"];
    const [one, other] = tags.map((tag) => lineName("fp32", tag, tags, false));
    expect(one!.look!.colour).toBe(other!.look!.colour);
    expect(one!.look!.dash).not.toEqual(other!.look!.dash);
    expect(one!.name).toBe("fp32 · train/loss");
  });
  it("of a single run tell tags by colour", () => {
    const tags = ["train/loss", "eval/loss"];
    expect(tags.map((tag) => lineName("fp32", tag, tags, true).look!.colour)).toEqual([1, 2]);
    expect(lineName("fp32", "loss", ["loss"], false)).toEqual({ name: "fp32" });
  });
});
