import { expect, it } from "vitest";
import { foldedIds } from "./folding";

const ids = ["overview", "scalars", "images"];

it("folds pages that have nothing, but not the one that is open", () => {
  expect([...foldedIds(ids, new Set(["scalars"]), null)]).toEqual(["overview", "images"]);
  expect([...foldedIds(ids, new Set(["scalars"]), "images")]).toEqual(["overview"]);
});

it("folds nothing before it knows, and nothing when there is nothing at all", () => {
  expect(foldedIds(ids, null, null).size).toBe(0);
  expect(foldedIds(ids, new Set(), null).size).toBe(0);
});
