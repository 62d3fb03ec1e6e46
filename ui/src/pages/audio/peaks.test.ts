import { expect, it } from "vitest";
import { outlineOf, peaksOf } from "./peaks";

it("keeps min and max of each column, however short", () => {
  const samples = new Float32Array(10_000);
  samples[4321] = 0.9;
  samples[4322] = -0.7;
  const { lows, highs } = peaksOf(samples, 100);
  expect(highs[43]).toBeCloseTo(0.9);
  expect(lows[43]).toBeCloseTo(-0.7);
  expect([...highs].filter((value) => value !== 0)).toHaveLength(1);
});

it("has no more columns than samples, and none without any", () => {
  expect(peaksOf(Float32Array.from([0.5, -0.5]), 100).lows).toHaveLength(2);
  expect(outlineOf(peaksOf(new Float32Array(0), 100), 100, 40)).toBe("");
});

it("touches the edges where a sound is as loud as it can be, and never leaves them", () => {
  const outline = outlineOf(peaksOf(Float32Array.from([1, -1, 3, -3]), 2), 100, 40);
  expect(outline).toBe("M0.0 0.7L100.0 0.7L100.0 39.3L0.0 39.3Z");
});
