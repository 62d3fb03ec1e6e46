import { expect, it } from "vitest";
import { groupTags, openByItself } from "./groups";

it("groups tags by their first part, numbers in their order", () => {
  expect(groupTags(["loss", "train/layer10", "train/layer2", "val/acc", "/odd"])).toEqual([
    { name: "", tags: ["/odd", "loss"] },
    { name: "train", tags: ["train/layer2", "train/layer10"] },
    { name: "val", tags: ["val/acc"] },
  ]);
});

it("curves come before groups of single values", () => {
  expect(groupTags(["alexnet/size", "train/loss", "train/final"], (tag) => tag === "train/loss").map((group) => group.name)).toEqual(["train", "alexnet"]);
});

it("the first groups are open by themselves, as many as fit, and always one", () => {
  const groups = groupTags(["a/1", "a/2", "b/1", "c/1", "c/2"]);
  expect([...openByItself(groups, 3)]).toEqual(["a", "b"]);
  expect([...openByItself(groups, 1)]).toEqual(["a"]);
  expect([...openByItself(groups, 60)]).toEqual(["a", "b", "c"]);
  expect([...openByItself([], 60)]).toEqual([]);
});
