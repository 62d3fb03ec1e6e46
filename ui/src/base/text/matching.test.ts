import { expect, it } from "vitest";
import { literally, matcherOf } from "./matching";

it("takes a regular expression, or text while it is none yet", () => {
  expect(["loss", "Loss/val", "acc"].filter(matcherOf("^loss"))).toEqual(["loss", "Loss/val"]);
  expect(["f(x)", "g"].filter(matcherOf("F("))).toEqual(["f(x)"]);
  expect(["a", "b"].filter(matcherOf(""))).toEqual(["a", "b"]);
});

it("finds a name as it is written", () => {
  for (const name of ["a%2Fb", "two  words", "what?x=1 (b) [c]* ^d$ e|f \\g", "acc>0.5"]) {
    expect(["x", name, `${name}2`].filter(matcherOf(`^${literally(name)}$`))).toEqual([name]);
  }
});
