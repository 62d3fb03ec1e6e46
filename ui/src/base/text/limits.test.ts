import { expect, it } from "vitest";
import { limitsText, readLimits } from "./limits";

it("keeps limits by name, whatever the name, and an open end open", () => {
  const limits = new Map([
    ["a~b,c", [0, null]],
    ["loss", [null, 2.5]],
  ] as const);
  expect(readLimits(limitsText(limits))).toEqual(limits);
  expect(limitsText(new Map([["loss", [null, null]]] as const))).toBeNull();
  expect(readLimits("loss~x~y,~1~2").size).toBe(0);
});
