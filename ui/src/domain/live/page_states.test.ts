import { expect, it } from "vitest";
import { NO_STATES, stateOf, withState } from "./page_states";

const SHARED = ["model", "a", "b", "runs", "colours"];

it("opens a page as it was left, with the keys that all pages share as they are now", () => {
  const scalars = withState(NO_STATES, "scalars", new URLSearchParams("smooth=0.9&pins=loss&a=fp32"), SHARED);
  const both = withState(scalars, "layers", new URLSearchParams("a=int8&cols=name~300&snippet=1"), SHARED);
  expect(stateOf(both, "scalars").toString()).toBe("a=int8&smooth=0.9&pins=loss");
  expect(stateOf(both, "layers").toString()).toBe("a=int8&cols=name%7E300");
  expect(stateOf(both, "graph").toString()).toBe("a=int8");
});

it("forgets a setting that was reset", () => {
  const set = withState(NO_STATES, "scalars", new URLSearchParams("smooth=0.9"), SHARED);
  const reset = withState(set, "scalars", new URLSearchParams(""), SHARED);
  expect(stateOf(reset, "scalars").toString()).toBe("");
});
