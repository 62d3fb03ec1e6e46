import { describe, expect, it } from "vitest";
import { extent, linearScale, logScale, logTicks, padded, ticks, timeTicks } from "./scale";

describe("scales", () => {
  it("map and invert", () => {
    const x = linearScale(0, 10, 100, 200);
    expect(x(5)).toBe(150);
    expect(x.invert(150)).toBe(5);
    const l = logScale(1, 100, 0, 200);
    expect(l(10)).toBeCloseTo(100);
    expect(l.invert(100)).toBeCloseTo(10);
  });
  it("survive a domain without width", () => {
    expect(Number.isFinite(linearScale(3, 3, 0, 100)(3))).toBe(true);
    expect(padded([3, 3])).toEqual([2.7, 3.3]);
    expect(padded([0, 0])).toEqual([-1, 1]);
  });
});

describe("ticks", () => {
  it("are round and inside", () => {
    expect(ticks(0, 1, 5)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(ticks(58.2, 83.1, 5)).toEqual([60, 65, 70, 75, 80]);
    expect(ticks(1, 1)).toEqual([]);
    expect(ticks(1284, 1957, 3)).toEqual([1400, 1600, 1800]); // A step of 500 would give only one tick.
    expect(ticks(1e16, 1e16 + 4, 5).length).toBeLessThan(30);
  });
  it("of time are full minutes and hours", () => {
    expect(timeTicks(0, 299, 6)).toEqual([0, 60, 120, 180, 240]);
    expect(timeTicks(50, 110, 6)).toEqual([50, 60, 70, 80, 90, 100, 110]);
    expect(timeTicks(0, 20_000, 5)).toEqual([0, 7200, 14_400]);
    expect(timeTicks(0, 0.5, 5)).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5]);
    expect(timeTicks(0, 30 * 86_400, 3)).toEqual([0, 10, 20, 30].map((days) => days * 86_400));
    expect(timeTicks(1, 1)).toEqual([]);
  });
  it("thin out over many decades", () => {
    expect(logTicks(1.2, 440)).toEqual([2, 5, 10, 20, 50, 100, 200].slice(0, 8));
    expect(logTicks(1e-9, 1e9).length).toBeLessThanOrEqual(10);
    expect(logTicks(3, 4).length).toBeGreaterThan(1);
  });
});

describe("extent", () => {
  it("looks past what is no number", () => {
    expect(extent([NaN, 3, -Infinity, 1])).toEqual([1, 3]);
    expect(extent([NaN])).toBeNull();
  });
});
