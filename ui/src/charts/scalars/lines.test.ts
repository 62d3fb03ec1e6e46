import { expect, it } from "vitest";
import { areChannels, linesOf, withoutChannel, xText } from "./lines";

const noon = new Date(2026, 10, 16, 12, 5, 7).getTime() / 1000; // The local time zone.

it("a moment alone says everything, and beside others only what differs", () => {
  const text = xText("wall");
  expect(text(noon)).toBe("Nov 16, 12:05:07");
  expect(text(noon, 15)).toBe("12:05:07");
  expect(text(noon, 600)).toBe("12:05");
  expect(text(noon, 86_400)).toBe("Nov 16");
});

it("midnight is the day that begins", () => {
  const midnight = new Date(2026, 10, 17).getTime() / 1000;
  expect(xText("wall")(midnight, 3600)).toBe("Nov 17");
});

it("steps are whole, and time since the beginning has its unit", () => {
  expect([xText("step")(12_000), xText("step")(0.5), xText("relative")(100), xText("relative")(0)]).toEqual([
    "12,000",
    "",
    "1 min 40 s",
    "0",
  ]);
});

it("lines of several tags differ in colour or dashes, also with more runs than colours", () => {
  const tags = ["loss/train", "loss/val"];
  const curves = Array.from({ length: 12 }, (_, i) =>
    tags.map((tag) => ({ run: `run ${i}`, tag, total: 1, steps: [0], wallTimes: () => [0], values: [1] })),
  ).flat();
  const looks = linesOf(curves, "step", 0, tags).map(({ look }) => JSON.stringify(look));
  expect(new Set(looks).size).toBe(24);
});

it("steps are channels where every run says so", () => {
  expect(areChannels(["a/min_per_channel", "a/max_per_channel"])).toBe(true);
  expect(areChannels(["a/min_per_channel", "train"])).toBe(false);
  expect(areChannels([])).toBe(false);
  expect(withoutChannel("min_per_channel")).toBe("min");
});
