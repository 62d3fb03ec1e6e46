import { expect, it } from "vitest";
import { withPin } from "./pins";

it("pins, lets go, and lets the oldest go for a fifth", () => {
  expect(withPin([], "a")).toEqual(["a"]);
  expect(withPin(["a", "b"], "a")).toEqual(["b"]);
  expect(withPin(["a", "b", "c", "d"], "e")).toEqual(["b", "c", "d", "e"]);
});
