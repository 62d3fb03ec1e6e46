import { expect, it } from "vitest";
import { groupRuns, DEFAULT_GROUPING } from "./run_groups";

it("puts the seeds of one experiment together", () => {
  expect(groupRuns(["train/seed-1", "train/seed-2", "val/seed_10", "other"], DEFAULT_GROUPING)).toEqual([
    { name: "train/seed", runs: ["train/seed-1", "train/seed-2"] },
    { name: "val/seed", runs: ["val/seed_10"] },
    { name: "other", runs: ["other"] },
  ]);
});
it("groups by the first parenthesis, and leaves what does not match alone", () => {
  expect(groupRuns(["a-x-1", "b-x-2", "c"], "-(\\w)-")).toEqual([
    { name: "x", runs: ["a-x-1", "b-x-2"] },
    { name: "c", runs: ["c"] },
  ]);
  expect(groupRuns(["1", "2"], DEFAULT_GROUPING)).toEqual([
    { name: "1", runs: ["1"] },
    { name: "2", runs: ["2"] },
  ]);
});
it("has nothing to say about a broken pattern", () => {
  expect(groupRuns(["a"], "(")).toBeNull();
});
