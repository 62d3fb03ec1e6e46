import { expect, it } from "vitest";
import { leftOf, placeOf } from "./axis_labels";

it("gives long labels of a y axis more space, up to a limit", () => {
  expect(leftOf(["0", "0.5"])).toBe(48);
  expect(leftOf(["−4.00e30"])).toBe(60);
  expect(leftOf(["1".repeat(40)])).toBe(112);
});

it("keeps a label at the edge within the chart", () => {
  expect(placeOf(50, "100", 200)).toEqual({ x: 50, anchor: "middle" });
  expect(placeOf(15, "-20,000", 200)).toEqual({ x: 0, anchor: "start" });
  expect(placeOf(190, "100,000", 200)).toEqual({ x: 200, anchor: "end" });
});
