import { expect, it } from "vitest";
import { NO_STATES, stateOf, withState } from "./page_states";

it("opens a page as it was left, with the present colours", () => {
  const scalars = withState(NO_STATES, "scalars", new URLSearchParams("smooth=0.9&pins=loss&runs=seed"));
  const both = withState(scalars, "layers", new URLSearchParams("colours=train~3&cols=name~300&snippet=1"));
  expect(stateOf(both, "scalars").toString()).toBe("colours=train%7E3&smooth=0.9&pins=loss&runs=seed");
  expect(stateOf(both, "layers").toString()).toBe("colours=train%7E3&cols=name%7E300");
  expect(stateOf(both, "graph").toString()).toBe("colours=train%7E3");
});

it("forgets a setting that was reset", () => {
  const set = withState(NO_STATES, "scalars", new URLSearchParams("smooth=0.9"));
  const reset = withState(set, "scalars", new URLSearchParams(""));
  expect(stateOf(reset, "scalars").toString()).toBe("");
});
