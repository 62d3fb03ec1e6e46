import type { TrialTimeline } from "../../api/compression/panels";
import { describe, expect, it } from "vitest";
import { readTrials } from "./data";

const timeline: TrialTimeline = {
  experiment: "eval",
  model: "mobilenet",
  runs: ["eval/baseline_acc_0.776", "eval/tune_1_acc_0.095", "eval/tune_2_acc_0.77", "eval/tune_3"],
  numbers: [0, 1, 2, 3],
  accuracies: [0.776, 0.095, 0.77, null],
  best_so_far: [null, 0.095, 0.77, 0.77],
  changes: [0, -0.681, -0.006, null],
  relative_changes: [0, -0.88, -0.01, null],
  first_wall_times: [0, 1, 2, 3],
  durations: [1, 1, 1, 0],
  settings: [{}, {}, {}, {}],
  setting_changes: [[], [{ name: "scheme", from: null, to: "sym" }], [{ name: "conv0", from: "int8", to: "fp32" }], []],
  baseline: 0,
  best: 2,
};

describe("trials", () => {
  it("know whether they keep the target, and what they changed", () => {
    const trials = readTrials(timeline, 0.01);
    expect(trials.map((t) => t.passes)).toEqual([true, false, true, null]);
    expect(trials.map((t) => t.name)).toEqual(["baseline", "tune_1", "tune_2", "tune_3"]);
    expect(trials[1]!.change).toBeCloseTo(-0.681);
    expect(trials[2]!.changed).toBe("conv0 = fp32");
    expect(trials[2]!.isBest).toBe(true);
  });
});
