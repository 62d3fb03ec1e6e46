import { describe, expect, it } from "vitest";
import { during, isStill, phasesOf } from "./phases";

const response = {
  snapshot: 1,
  devices: { runs: [], texts: [] },
  phases: {
    runs: ["hw", "hw", "other", "hw"],
    names: ["calibrate", "evaluate", "train", "late"],
    wall_times: [100, 104, 101, 500],
  },
};
const lane = { tag: "hardware/power/package_w", name: "Power package", unit: "W" };

describe("phases", () => {
  it("last until the next one, or the end of the run", () => {
    expect(phasesOf(response, "hw", 100, 110)).toEqual([
      { name: "calibrate", from: 0, to: 4 },
      { name: "evaluate", from: 4, to: 10 },
    ]);
    expect(phasesOf(response, "nobody", 100, 110)).toEqual([]);
  });
  it("have their own mean, peak and energy", () => {
    const samples = { lane, seconds: [0, 1, 2, 3, 4, 5], values: [10, 20, 10, NaN, 100, 100] };
    expect(during(samples, { name: "calibrate", from: 0, to: 4 })).toEqual({
      mean: 40 / 3,
      p95: 20,
      peak: 20,
      least: 10,
      area: 30,
    });
    expect(during(samples, { name: "evaluate", from: 4, to: 10 })?.area).toBe(100);
    expect(during(samples, { name: "nothing", from: 20, to: 30 })).toBeNull();
  });
  it("tell lanes that never moved from those that did, but keep shares", () => {
    expect(isStill({ lane, seconds: [0, 1], values: [1, 1] })).toBe(true);
    expect(isStill({ lane, seconds: [0, 1], values: [1, 2] })).toBe(false);
    expect(isStill({ lane: { ...lane, unit: "%" }, seconds: [0, 1], values: [100, 100] })).toBe(false);
  });
});
