import { expect, it } from "vitest";
import { groupTags } from "./groups";

it("groups tags by their first part, numbers in their order", () => {
  expect(groupTags(["loss", "train/layer10", "train/layer2", "val/acc", "/odd"])).toEqual([
    { name: "", tags: ["/odd", "loss"] },
    { name: "train", tags: ["train/layer2", "train/layer10"] },
    { name: "val", tags: ["val/acc"] },
  ]);
});
