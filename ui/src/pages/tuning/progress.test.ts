import { expect, it } from "vitest";
import { allowedLoss, goalText, isRunning, readProgress, stateText } from "./progress";

/** The example of docs/formats/tuning-progress.md. */
const EXAMPLE = `{"version":1,"phase":"evaluating","step":"trial 2","trial":2,"model":"net.onnx","output":"net_int8.onnx",
 "state":"net_int8.onnx.tune","metric":"accuracy","better":"higher","objective":"size",
 "goals":{"max_drop":"1%","max_size_bytes":null,"min_speedup":null},"limit":0.768,
 "evaluations":1,"max_evaluations":5,"measurements":24,
 "elapsed_seconds":31.5,"left_seconds":44.0,"max_seconds":600,
 "baseline":{"accuracy":0.776,"failure":"","size_bytes":47821,"latency_ms":null,"seconds":11.0},
 "trials":[{"number":1,"run":"tune_1_acc_0.095","note":"everything in 8 bits","accuracy":0.095,"failure":"",
   "size_bytes":15360,"latency_ms":null,"speedup":null,"energy_mj":null,"end_sqnr_db":-2.5,"seconds":11.0,
   "is_met":false,"is_pareto":true,"keep_float":[],"16_bits":[],"4_bits":[],"reverted":[]}],
 "best":1,"predicted":[],"is_met":null,"reason":"","next_step":"","can_stop":true}`;

it("reads the documented example", () => {
  const progress = readProgress(EXAMPLE)!;
  expect(isRunning(progress)).toBe(true);
  expect(goalText(progress)).toBe("accuracy 0.768 or more (at most 1% lost)");
  expect(stateText(progress)).toContain("trial 2; 1 of at most 5 evaluations");
  expect(stateText(progress)).toContain("about 44 s left");
  expect(allowedLoss(progress)).toBeCloseTo(1 - 0.768 / 0.776);
  expect(allowedLoss({ ...progress, limit: null })).toBeNull();
  expect(stateText({ ...progress, phase: "finished" })).toMatch(/took 3[12](\.5)? s$/);
});

it("ignores values that are not progress", () => {
  expect(readProgress("")).toBeNull();
  expect(readProgress('{"version":1}')).toBeNull();
});
