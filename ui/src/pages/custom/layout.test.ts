import { expect, it } from "vitest";
import { marginsOf, matchingTags } from "./layout";

it("finds the tags of a custom chart as TensorBoard does, and takes names that are no expressions", () => {
  const names = ["loss", "loss/train", "loss/eval", "a(b", "acc"];
  expect(matchingTags(["loss/.*"], names)).toEqual(["loss/train", "loss/eval"]);
  expect(matchingTags(["loss"], names)).toEqual(["loss"]); // The expression must match the whole tag.
  expect(matchingTags(["loss/(train|eval)"], names)).toEqual(["loss/train", "loss/eval"]);
  expect(matchingTags(["acc", "loss", "acc"], names)).toEqual(["acc", "loss"]);
  expect(matchingTags(["a(b"], names)).toEqual(["a(b"]);
});

it("does not try expressions that would never end", () => {
  const name = `${"a".repeat(60)}!`;
  for (const pattern of ["(a+)+b", "(a|a)*b", "(?=a)b", "a*a*a*a*a*a*a*b", "(a)\\1"])
    expect(matchingTags([pattern], [name, pattern])).toEqual([pattern]);
});

it("takes every value of a chart that has both bounds", () => {
  expect(marginsOf({ values: ["a", "b", "c"], lowers: ["a-", "", "c-"], uppers: ["a+", "b+", "c+"] })).toEqual([
    { value: "a", lower: "a-", upper: "a+" },
    { value: "c", lower: "c-", upper: "c+" },
  ]);
});
