import { describe, expect, it } from "vitest";
import { distinctNames } from "./distinct";

const long = (lr: number, seed: number, net: string): string =>
  `imagenet/${net}/${net}_optimizer=sgd,lr=${lr},bs=256_seed=${seed}_gpu-17.cluster.local`;

describe("distinctNames", () => {
  it("leave out what all long names share", () => {
    const names = [long(0.1, 0, "resnet50"), long(0.1, 1, "resnet50"), long(0.01, 0, "vit")];
    expect([...distinctNames(names).values()]).toEqual([
      "…resnet50…lr=0.1…seed=0",
      "…resnet50…lr=0.1…seed=1",
      "…vit…lr=0.01…seed=0",
    ]);
  });
  it("leave short names and names on their own alone", () => {
    expect(distinctNames(["logs/a", "logs/b"]).get("logs/a")).toBe("logs/a");
    expect(distinctNames([long(1, 2, "x")]).size).toBe(1);
  });
  it("compare names of one folder only", () => {
    const names = distinctNames([long(1, 0, "net"), long(2, 0, "net"), "tuning/a-run-of-another-folder"]);
    expect(names.get(long(1, 0, "net"))).toBe("…lr=1");
    expect(names.get("tuning/a-run-of-another-folder")).toBe("tuning/a-run-of-another-folder");
  });
  it("leave out dates and times, unless these alone tell names apart", () => {
    const timed = ["run/2026-11-01_12-03-44_lr=0.1_wide", "run/2026-11-02_08-10-00_lr=0.2_wide"];
    expect([...distinctNames(timed).values()]).toEqual(["…lr=0.1", "…lr=0.2"]);
    const fits = ["logs/fit/20261117-101500/train", "logs/fit/20261118-090000/train"];
    expect([...distinctNames(fits).values()]).toEqual(["…20261117-101500", "…20261118-090000"]);
  });
  it("keep short folders whole", () => {
    const runs = ["lightning_logs/version_0", "lightning_logs/version_11"];
    expect([...distinctNames(runs).values()]).toEqual(["…version_0", "…version_11"]);
    const stages = ["tensorboard_logs/initial_graph/max_per_channel", "tensorboard_logs/initial_graph/min_per_channel"];
    expect([...distinctNames(stages).values()]).toEqual(["…max_per_channel", "…min_per_channel"]);
  });
  it("stay different", () => {
    const names = ["a_b/cccccccccccccccccccccc_d", "a_b/d_cccccccccccccccccccccc", "a_b/d_d_cccccccccccccccccccccc"];
    expect(new Set(distinctNames(names).values()).size).toBe(3);
  });
});
