import { expect, it } from "vitest";
import { literally, matcherOf } from "./matching";
import { parseRunFilter, passes } from "./run_filter";

it("takes a regular expression, or text while it is none yet", () => {
  expect(["loss", "Loss/val", "acc"].filter(matcherOf("^loss"))).toEqual(["loss", "Loss/val"]);
  expect(["f(x)", "g"].filter(matcherOf("F("))).toEqual(["f(x)"]);
  expect(["a", "b"].filter(matcherOf(""))).toEqual(["a", "b"]);
});

it("finds a name as it is written, also among the words of a filter", () => {
  for (const name of ["a%2Fb", "two  words", "what?x=1 (b) [c]* ^d$ e|f \\g", "acc>0.5"]) {
    expect(["x", name, `${name}2`].filter(matcherOf(`^${literally(name)}$`))).toEqual([name]);
    const filter = parseRunFilter(`^(${literally(name)})(/|$)`);
    expect(filter.problem).toBeNull();
    expect(["x", name, `${name}/val`, `${name}2`].filter((run) => passes(filter, run, () => null))).toEqual([name, `${name}/val`]);
  }
});
