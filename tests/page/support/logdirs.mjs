// Log directories as people have them, one function per tag format, and one with hostile content.
import { mkdtempSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EventFile, png } from "./event_file.mjs";

/** A directory that is removed when the test `t` has ended. */
export function newLogdir(t) {
  const directory = mkdtempSync(join(tmpdir(), "cboard page "));
  t?.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

// Numbers that look like chance and are the same every time.
export function chance(seed) {
  let state = seed >>> 0 || 1;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  return { uniform, normal: () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()) };
}

const normals = (seed, n, mean = 0, deviation = 1) => {
  const { normal } = chance(seed);
  return Array.from({ length: n }, () => mean + deviation * normal());
};

const quantized = (values, scale, limit) => values.map((v) => Math.max(-limit, Math.min(limit, Math.round(v / scale) * scale)));

export const LAYERS = ["conv1", "layer1.0.conv1", "layer1.0.conv2", "layer1.1.conv1", "layer2.0.conv1", "layer2.0.conv2",
  "layer2.0.downsample.0", "layer3.0.conv1", "layer3.0.conv2", "layer4.0.conv1", "layer4.1.conv2", "fc"];

/** The layer whose int8 scale is wrong. */
export const WORST_LAYER = "layer2.0.conv1";

/** Flat tags: the metrics of some models, fp32 and int8. */
export function writeMetrics(logdir, models = MODELS) {
  for (const [model, metrics] of Object.entries(models)) {
    const file = new EventFile(join(logdir, model)).hold();
    for (const [tag, [fp32, int8]] of Object.entries(metrics)) {
      file.scalar(`${model}/${tag}/fp32`, fp32);
      file.scalar(`${model}/${tag}/int8`, int8);
    }
    file.flush();
  }
}

const MODELS = {
  alexnet: { "metrics/accuracy": [0.9945, 0.9945], "performance/latency_ms": [261.02, 217.14], "performance/model_size_mb": [217.61, 9.42] },
  resnet18: { "metrics/accuracy": [0.6976, 0.6949], "performance/latency_ms": [31.2, 12.9], "performance/model_size_mb": [44.7, 11.3] },
  mobilenet_v3: { "metrics/accuracy": [0.7404, 0.73], "performance/model_size_mb": [21.1, 21.6] },
};

/** The guide's add_scalars, as tensorboardX writes it: a run below for every variant. */
export function writeGuide(logdir) {
  const metrics = { accuracy: [0.9945, 0.9945], latency_ms: [261.02, 217.14], model_size: [217.61, 9.42] };
  for (const [metric, values] of Object.entries(metrics)) {
    ["fp32", "int8"].forEach((variant, i) => new EventFile(join(logdir, "guide", "alexnet", metric, variant)).scalar(`alexnet/${metric}`, values[i]));
  }
}

/** Own layer tags: tensors of both variants in one run, with what was measured of each. */
export function writeLayers(logdir, model = "resnet18") {
  const file = new EventFile(join(logdir, `${model}-layers`)).hold();
  LAYERS.forEach((layer, i) => {
    const values = normals(i + 1, 3000, -0.2, 0.6 + 0.05 * i);
    const wrong = layer === WORST_LAYER;
    const int8 = quantized(wrong ? values.map((v) => v * 0.8) : values, 0.02, wrong ? 1.6 : 3);
    const tag = (what, variant) => `${model}/layers/${layer}/${what}/${variant}`;
    file.histogram(tag("Output", "fp32"), values).histogram(tag("Output", "int8"), int8);
    file.scalar(tag("sqnr_db", "int8"), wrong ? 14.0 : 26 + i).scalar(tag("worst_channel_sqnr_db", "int8"), wrong ? 12.1 : 20 + i / 2);
    file.scalar(tag("cosine", "int8"), wrong ? 0.9731 : 0.999 + i / 20000);
  });
  file.flush();
}

/** Stage logs of a model compression toolkit: the step of a scalar is a channel. */
export function writeStages(logdir, channels = 64) {
  const root = join(logdir, "stages", "tensorboard_logs");
  for (const stage of ["initial_graph", "after_statistic_collection", "thresholds_selection"]) {
    const file = new EventFile(join(root, stage)).hold();
    LAYERS.forEach((layer, i) => file.histogram(layer, normals(i + 50, 1500)));
    file.flush();
  }
  const stage = join(root, "thresholds_selection");
  const [min, max, mean] = ["min", "max", "mean"].map((name) => new EventFile(join(stage, `${name}_per_channel`)).hold());
  LAYERS.forEach((layer, i) => {
    const { uniform } = chance(i + 7);
    for (let channel = 0; channel < channels; channel += 1) {
      const outlier = layer === WORST_LAYER && channel === 17 ? 12 : 1;
      min.scalar(layer, -outlier * (0.7 + uniform() * 0.5), channel);
      max.scalar(layer, outlier * (0.7 + uniform() * 0.5), channel);
      mean.scalar(layer, 0.2 * (uniform() - 0.5), channel);
    }
  });
  for (const file of [min, max, mean]) file.flush();
}

/** Directories of accuracy-driven tuning; the name carries the accuracy. */
export function writeTuning(logdir) {
  const trials = { "baseline_acc_0.776": null, "tune_1_acc_0.095": 1.2, "tune_2_acc_0.640": 0.3, "tune_3_acc_0.771": 0.02 };
  for (const [directory, scale] of Object.entries(trials)) {
    const file = new EventFile(join(logdir, "mobilenet_eval", directory)).hold();
    LAYERS.slice(0, 6).forEach((layer, i) => {
      const values = normals(i + 90, 2000, 0, 0.5 + i / 10);
      file.histogram(`${layer}/Output/${scale === null ? "fp32" : "int8"}`, scale === null ? values : quantized(values, scale, 2));
    });
    file.flush();
  }
}

/** The usual log of a TensorBoard user: curves, distributions over steps, images, texts. */
export function writeTraining(logdir) {
  for (const [i, seed] of ["seed-1", "seed-2", "seed-3"].entries()) {
    const file = new EventFile(join(logdir, "train", seed)).hold();
    const { normal } = chance(i + 3);
    for (let step = 0; step < 300; step += 1) {
      file.scalar("loss/train", 2 * Math.exp(-step / 70) + 0.1 + 0.03 * normal() + i * 0.02, step);
      file.scalar("accuracy/val", 0.9 - 0.6 * Math.exp(-step / 60) + 0.01 * normal(), step);
      if (i === 0 && step === 120) file.scalar("loss/train", NaN, step);
    }
    for (let step = 0; step < 8; step += 1) file.histogram("weights/conv1", normals(step + 1, 1200, step * 0.1, 1 - step * 0.06), step * 40);
    for (const step of [0, 100, 200]) file.image("samples/digit", 48, 32, png(48, 32, (x, y) => ((x * 5 + y * 7 + step) % 256)), step);
    file.text("notes", `# Run ${seed}\n\nCalibrated with **256** images, *symmetric*.\n\n| bits | scheme |\n|---|---|\n| 8 | per channel |`, 0);
    file.flush();
  }
}

/** A sweep: what was tried, and what came of it. */
export function writeSweep(logdir) {
  const { uniform, normal } = chance(5);
  for (let i = 0; i < 36; i += 1) {
    const bits = [2, 4, 8][i % 3];
    const scheme = ["symmetric", "asymmetric"][Math.floor(i / 3) % 2];
    const calibration = 2 ** (4 + Math.floor(uniform() * 6));
    const rate = 10 ** (-4 + 2 * uniform());
    const file = new EventFile(join(logdir, "sweep", `trial-${String(i).padStart(2, "0")}`)).hold();
    file.hparams({ bits, scheme, calibration, learning_rate: rate, qat: i % 2 === 0, optimizer: "sgd" });
    const accuracy = 0.78 - 0.5 / bits ** 1.5 - 0.02 * (scheme === "symmetric") + 0.004 * Math.log2(calibration) + 0.004 * normal();
    if (i !== 7) file.scalar("hparam/accuracy", accuracy, 1);
    file.scalar("hparam/size_mb", 5.5 * bits + 0.3 * uniform(), 1);
    file.flush();
  }
}

/** The log of `compression-board profile`. */
export function writeHardware(logdir) {
  const file = new EventFile(join(logdir, "profile", "alexnet")).hold();
  const { normal } = chance(11);
  for (let step = 0; step < 120; step += 1) {
    const busy = step > 20 && step < 90;
    file.scalar("hardware/cpu/percent", Math.max(0, (busy ? 82 : 6) + 4 * normal()), step);
    file.scalar("hardware/cpu/core_0_percent", Math.max(0, (busy ? 90 : 5) + 4 * normal()), step);
    file.scalar("hardware/memory/process_rss_mb", 420 + (busy ? step * 6 : 0), step);
    file.scalar("hardware/power/package_w", Math.max(1, (busy ? 38 : 9) + normal()), step);
    file.scalar("hardware/temperature/package_c", 44 + (busy ? 18 : 2) + 0.5 * normal(), step);
  }
  file.flush();
}

export function writeEverything(logdir) {
  writeMetrics(logdir);
  writeLayers(logdir);
  writeStages(logdir);
  writeTuning(logdir);
  writeTraining(logdir);
  writeHardware(logdir);
  writeSweep(logdir);
}

/** Would run if any name, text or image of a log reached the page as more than text. */
export const ATTACK = '<img src=x onerror="window.attacked=true"><script>window.attacked=true</script>';

export function writeHostile(logdir) {
  const name = "<img src=x onerror=window.attacked=1>";
  mkdirSync(join(logdir, name), { recursive: true });
  const file = new EventFile(join(logdir, name)).hold();
  for (const variant of ["fp32", "int8"]) {
    file.scalar(`${ATTACK.replaceAll("/", "")}/metrics/accuracy/${variant}`, 0.5);
    file.scalar(`"onmouseover="window.attacked=1/performance/model_size_mb/${variant}`, 3);
    file.histogram(`${ATTACK.replaceAll("/", "")}/Output/${variant}`, normals(3, 500));
  }
  file.scalar(ATTACK, 1).scalar("javascript:window.attacked=1", 2).scalar("{{constructor.constructor('window.attacked=1')()}}", 3);
  for (const variant of ["fp32", "int8"]) file.scalar(`${ATTACK.replaceAll("/", "")}/per_class/accuracy/${ATTACK}/${variant}`, 0.5);
  file.scalar(`hardware/cpu/${ATTACK}`, 4).text("hardware/phase", ATTACK);
  file.hparams({ [ATTACK]: ATTACK, bits: 8 });
  file.text("text", `${ATTACK}\n\n[click](javascript:window.attacked=1) <svg onload="window.attacked=1"></svg>\n\n![x](x" onerror="window.attacked=1)\n\n<iframe srcdoc="<script>parent.attacked=1</script>"></iframe>`);
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="window.attacked=1"><script>window.attacked=1</script></svg>';
  file.image("picture", 8, 8, Buffer.from(svg));
  file.image(ATTACK, 8, 8, Buffer.from(`<html>${ATTACK}</html>`));
  file.flush();
}

/** A comparison of two files: two layers of which one fails, and what its parts are worth in float, unless nobody verified. */
export function writeComparison(logdir, { verified = true, findings = null, verdict = undefined } = {}) {
  const file = new EventFile(join(logdir, "net")).hold();
  ["conv1", "conv2"].forEach((layer, i) => {
    const values = normals(i + 1, 400);
    for (const tensor of ["output", "weight"]) {
      file.histogram(`net/layers/${layer}/${tensor}/fp32`, values).histogram(`net/layers/${layer}/${tensor}/int8`, quantized(values, i === 0 ? 0.02 : 0.8, 4));
    }
    file.scalar(`net/layers/${layer}/sqnr_db/int8`, i === 0 ? 41 : 9.5).scalar(`net/layers/${layer}/accumulated_sqnr_db/int8`, i === 0 ? 40 : 9);
    file.scalar(`net/layers/${layer}/cosine/int8`, i === 0 ? 0.9999 : 0.9412);
  });
  file.scalar("net/metrics/accuracy/fp32", 0.97).scalar("net/metrics/accuracy/int8", 0.91);
  if (verified) file.strings("net/verified/runs/int8", JSON.stringify({ v: 1, samples: 20, verified_layers: ["conv2"], why_not_verified: "", verified: VERIFIED }), "compression_board");
  if (findings) file.strings("net/findings/int8", JSON.stringify({ v: 1, verdict, layers: findings }), "compression_board");
  file.flush();
}

const part = (layer, tensor) => ({ layer, part: tensor });
const VERIFIED = [
  ["nothing", "as it is", [], 5.2],
  ["parts", "'conv2' output in float", [part("conv2", "output")], 12],
  ["parts", "'conv2' weights in float", [part("conv2", "weight")], 4.9],
  ["parts", "'conv1' weights in float", [part("conv1", "weight")], null, "cannot load 'int8.onnx'"],
  ["parts", "'conv2' output and weights, 'conv1' output in float", [part("conv2", "output"), part("conv2", "weight"), part("conv1", "output")], 17.8],
  ["everything", "everything in float", [], null],
].map(([restored, text, parts, sqnr_db, why_not = ""]) => ({ restored, text, parts, sqnr_db, layer_sqnr_db: [sqnr_db], why_not }));
