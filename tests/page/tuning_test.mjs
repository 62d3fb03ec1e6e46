// The search of `compression-board tune` while it runs: state, trials, reverted layers, and the button that stops it.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { barriers, picture, visit } from "./support/browser.mjs";
import { EventFile } from "./support/event_file.mjs";
import { newLogdir } from "./support/logdirs.mjs";
import { serve, useBrowser } from "./support/session.mjs";

useBrowser();

const trial = (number, values) => ({
  number, run: `tune_${number}_acc_${values.accuracy}`, note: "", failure: "", latency_ms: null, speedup: null, energy_mj: null,
  end_sqnr_db: 1.5, seconds: 11, is_met: false, is_pareto: false, keep_float: [], "16_bits": [], "4_bits": [], reverted: [], ...values,
});

/** As docs/formats/tuning-progress.md describes it. */
const progress = (values) => JSON.stringify({
  version: 1, phase: "evaluating", step: "trial 2", trial: 2, model: "net.onnx", output: "net_int8.onnx", state: "net_int8.onnx.tune",
  metric: "accuracy", better: "higher", objective: "size", goals: { max_drop: "2%", max_size_bytes: null, min_speedup: null }, limit: 0.7605,
  evaluations: 1, max_evaluations: 5, measurements: 24, elapsed_seconds: 31, left_seconds: 44, max_seconds: null,
  baseline: { accuracy: 0.776, failure: "", size_bytes: 47_821, latency_ms: null, seconds: 11 },
  trials: [trial(1, { note: "everything in 8 bits", accuracy: 0.095, size_bytes: 15_360 })],
  best: 1, predicted: [], is_met: null, reason: "", next_step: "", can_stop: true, ...values,
});

function writeSearch(logdir) {
  for (const name of ["baseline_acc_0.776", "tune_1_acc_0.095"]) new EventFile(join(logdir, "eval", name)).histogram("conv1/Output/fp32", [1, 2, 3], 4);
  const file = new EventFile(join(logdir, "eval", "search"));
  file.strings("tuning/progress", progress({ phase: "calibrating", step: "calibrating", trials: [], best: null }), "text", 0);
  return file.strings("tuning/progress", progress({}), "text", 1);
}

test("the newest state is shown, and follows the search", async (t) => {
  const logdir = newLogdir(t);
  const file = writeSearch(logdir);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("tuning"));
  await page.waitForSelector(".search-panel");
  assert.match(await page.innerText(".search-panel"), /running: evaluating.*trial 2; 1 of at most 5 evaluations, 24 measurements without labels; about 44 s left/s);
  assert.match(await page.innerText(".tuning-target"), /accuracy 0\.7605 or more \(at most 2% lost\)/);
  assert.equal(await page.locator('.search-panel button:has-text("Stop")').count(), 0); // Without --allow-control.

  const reverted = [
    { name: "/model.15/m.0/cv2/act/Mul", op_type: "Mul", change: "float", gain_db: 41.4, bytes: 432, cost_ms: null, cause: "outliers", explanation: "Few values set the range" },
    { name: "conv1", op_type: "Conv", change: "16 bits", gain_db: null, bytes: 12, cost_ms: 0.25, cause: "", explanation: "" },
  ];
  const trials = [trial(1, { accuracy: 0.095, size_bytes: 15_360 }), trial(2, { accuracy: 0.771, size_bytes: 15_790, is_met: true, is_pareto: true, reverted })];
  file.strings("tuning/progress", progress({ phase: "finished", trials, best: 2, is_met: true, can_stop: false, reason: "the goal is met" }), "text", 2);
  await page.waitForSelector(".search-panel :text('finished: goals met')"); // Without a reload.
  const rows = await page.locator(".reverted tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
  assert.deepEqual(rows, [
    ["/model.15/m.0/cv2/act/Mul", "Mul", "float", "outliers", "+41.4", "+432 B", "not measured"],
    ["conv1", "Conv", "16 bits", "not found", "not measured", "+12 B", "+0.250"],
  ]);
  await page.click(".search-trials tbody tr:first-child");
  await page.waitForSelector('.search-panel :text("Trial 1 has all layers in 8 bits.")');
  assert.deepEqual(await barriers(page), []);
  await picture(page, "tuning-search");
});

test("a search is stopped where the server allows it", async (t) => {
  const logdir = newLogdir(t);
  writeSearch(logdir);
  const { page, at } = await serve(t, logdir, { flags: ["--allow-control"] });
  await visit(page, at("tuning"));
  await page.click('.search-panel button:has-text("Stop")');
  await page.waitForSelector('.search-panel :text("The search is stopping; the best model so far is kept.")');
  assert.ok(existsSync(join(logdir, "eval", "search", "stop")));
});
