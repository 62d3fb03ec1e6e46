import { expect, it } from "vitest";
import { runsOfTags } from "./runs_of_tags";

it("leaves out runs without any of the tags", () => {
  expect(runsOfTags({ runs: ["a", "b", "c"], run_lists: [[2], [0, 2]] })).toEqual(["a", "c"]);
  expect(runsOfTags({ runs: ["a"], run_lists: [] })).toEqual([]);
});
