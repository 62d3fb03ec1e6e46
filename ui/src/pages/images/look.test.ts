import { expect, it } from "vitest";
import { filterOf, lookOf, pairOf } from "./look";

it("takes what the address says, within bounds", () => {
  expect(lookOf(new URLSearchParams("bright=9&contrast=x"), 40)).toEqual({
    actual: false,
    brightness: 4,
    contrast: 1,
    step: 40,
  });
  expect(filterOf(lookOf(new URLSearchParams(), null))).toEqual({});
});

it("lays two different runs over each other, those asked for first", () => {
  const series = ["fp32", "int8", "w4a8"].map((run) => ({ run, tag: "digit" }));
  expect(pairOf(series, null, null)).toEqual(["fp32", "int8"]);
  expect(pairOf(series, "w4a8", null)).toEqual(["w4a8", "fp32"]);
  expect(pairOf(series, null, "fp32")).toEqual(["int8", "fp32"]);
  expect(pairOf(series, "int8", "int8")).toEqual(["int8", "fp32"]);
  expect(pairOf(series, "gone", "w4a8")).toEqual(["fp32", "w4a8"]);
  expect(pairOf(series.slice(0, 1), null, null)).toBeNull();
});

it("takes runs that share an image", () => {
  const series = [
    { run: "figures", tag: "plot" },
    { run: "a", tag: "digit" },
    { run: "b", tag: "digit" },
  ];
  expect(pairOf(series, null, null)).toEqual(["a", "b"]);
  expect(pairOf(series, "figures", null)).toEqual(["a", "b"]);
  expect(pairOf(series.slice(0, 2), null, null)).toBeNull();
});
