import { expect, it } from "vitest";
import { runsHaving, runsOfRanges, runsOfTags } from "./runs_of_tags";

it("leaves out runs without any of the tags", () => {
  expect(runsOfTags({ runs: ["a", "b", "c"], run_lists: [[2], [0, 2]] })).toEqual(["a", "c"]);
  expect(runsOfTags({ runs: ["a"], run_lists: [] })).toEqual([]);
  expect(runsOfRanges({ runs: ["a", "b", "c", "d", "e"], run_ranges: [[0, 1, 4, 4], [1, 2], []] })).toEqual([
    "a",
    "b",
    "c",
    "e",
  ]);
  expect(runsOfRanges({ runs: ["a"], run_ranges: [] })).toEqual([]);
});

it("says which runs have a tag, from ranges", () => {
  const runs = Array.from({ length: 12 }, (_, i) => `run${i}`);
  const has = runsHaving({ names: ["loss", "acc", "none"], runs, run_ranges: [[0, 11], [1, 1, 4, 6, 11, 11], []] });
  const having = (tag: string): string =>
    runs
      .filter((run) => has(tag, run))
      .map((run) => run.slice(3))
      .join(" ");
  expect(having("loss")).toBe("0 1 2 3 4 5 6 7 8 9 10 11");
  expect(having("acc")).toBe("1 4 5 6 11");
  expect(having("none")).toBe("");
  expect(having("unknown")).toBe("");
  expect(has("loss", "run12")).toBe(false);
});
