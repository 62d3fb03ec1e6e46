import { expect, it } from "vitest";
import { facesIn } from "./paint";

it("leaves out faces that name vertices which are not there", () => {
  expect([...facesIn(Int32Array.from([0, 1, 2, 0, 1, 3, -1, 0, 1, 2]), 3)]).toEqual([0, 1, 2]);
});
