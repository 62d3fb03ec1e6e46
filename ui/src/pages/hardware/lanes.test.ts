import { describe, expect, it } from "vitest";
import { lanesOf, laneOf, summarize } from "./lanes";

describe("lanes", () => {
  it("are named with their unit", () => {
    expect(laneOf("hardware/cpu/percent")).toEqual({ tag: "hardware/cpu/percent", name: "CPU", unit: "%" });
    expect(laneOf("hardware/memory/process_rss_mb")).toMatchObject({ name: "Memory process RSS", unit: "MB" });
    expect(laneOf("hardware/disk/read_mb_s")).toMatchObject({ name: "Disk read", unit: "MB/s" });
  });

  it("leave out single cores, summaries and other people's tags", () => {
    expect(lanesOf(["hardware/cpu/core_3_percent", "hardware/summary/cpu/percent_mean", "loss", "hardware"])).toEqual(
      [],
    );
  });

  it("stand in a fixed order", () => {
    const tags = [
      "hardware/power/package_w",
      "hardware/gpu_10/power_w",
      "hardware/gpu_2/power_w",
      "hardware/cpu/percent",
    ];
    expect(lanesOf(tags).map((lane) => lane.tag)).toEqual([tags[3], tags[2], tags[1], tags[0]]);
  });
});

describe("the summary of a lane", () => {
  it("integrates power over time into energy", () => {
    expect(summarize([0, 1, 3], [10, 20, 20])).toMatchObject({ area: 55, peak: 20 });
  });

  it("passes over what is no number", () => {
    expect(summarize([0, 1, 2], [1, NaN, 3])).toEqual({ mean: 2, p95: 3, peak: 3, least: 1, area: 4 });
    expect(summarize([0], [NaN])).toBeNull();
  });
});
