import { expect, it } from "vitest";
import { quantile } from "./quantile";

it("finds a quantile inside its bin", () => {
  expect(quantile([0, 1, 2], [1, 3], 0.5)).toBeCloseTo(1 + 1 / 3);
  expect(quantile([0, 1, 2], [0, 0], 0.5)).toBe(2);
});
