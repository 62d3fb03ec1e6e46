import { expect, it } from "vitest";
import { matcherOf } from "./matching";

it("takes a regular expression, or text while it is none yet", () => {
  expect(["loss", "Loss/val", "acc"].filter(matcherOf("^loss"))).toEqual(["loss", "Loss/val"]);
  expect(["f(x)", "g"].filter(matcherOf("F("))).toEqual(["f(x)"]);
  expect(["a", "b"].filter(matcherOf(""))).toEqual(["a", "b"]);
});
