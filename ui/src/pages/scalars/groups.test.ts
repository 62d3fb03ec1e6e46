import { expect, it } from "vitest";
import { groupTags, openByItself, tagOfMost } from "./groups";

it("groups tags by their first part, numbers in their order", () => {
  expect(groupTags(["loss", "train/layer10", "train/layer2", "val/acc", "/odd"])).toEqual([
    { name: "", tags: ["/odd", "loss"] },
    { name: "train", tags: ["train/layer2", "train/layer10"] },
    { name: "val", tags: ["val/acc"] },
  ]);
});

it("curves come before groups of single values", () => {
  expect(
    groupTags(["alexnet/size", "train/loss", "train/final"], (tag) => tag === "train/loss").map((group) => group.name),
  ).toEqual(["train", "alexnet"]);
});

it("in a group curves come before single values too", () => {
  expect(
    groupTags(["train/best", "train/loss", "train/final", "train/acc"], (tag) => /loss|acc/.test(tag))[0]?.tags,
  ).toEqual(["train/acc", "train/loss", "train/best", "train/final"]);
});

it("beside the runs stand the last values of the tag that most of them have, or of none", () => {
  const runs = new Map([
    ["loss", 3],
    ["accuracy", 8],
    ["f1", 8],
    ["size", 1],
  ]);
  const chosen = (of: number, ...tags: string[]): string | null => tagOfMost(tags, (tag) => runs.get(tag) ?? 0, of);
  expect(chosen(10, "loss", "accuracy", "f1", "size")).toBe("accuracy");
  expect(chosen(17, "loss", "accuracy", "f1", "size")).toBeNull();
  expect(chosen(10, "loss", "size")).toBeNull();
  expect(chosen(0)).toBeNull();
});

it("the first groups are open by themselves, as many as fit, and always one", () => {
  const groups = groupTags(["a/1", "a/2", "b/1", "c/1", "c/2"]);
  expect([...openByItself(groups, 3)]).toEqual(["a", "b"]);
  expect([...openByItself(groups, 1)]).toEqual(["a"]);
  expect([...openByItself(groups, 60)]).toEqual(["a", "b", "c"]);
  expect([...openByItself([], 60)]).toEqual([]);
});
