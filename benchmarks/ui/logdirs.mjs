// Log directories for the measurements: the same bytes every time.
import { cpSync } from "node:fs";
import { join } from "node:path";
import { EventFile } from "../../tests/page/support/event_file.mjs";
import { chance } from "../../tests/page/support/logdirs.mjs";

/** `runs` runs of `tags` curves with `points` points each; from the `distinct`-th run on they are copies, which are cheaper to write. */
export function writeCurves(logdir, runs, tags, points, { distinct = runs } = {}) {
  const directory = (run) => join(logdir, `run-${String(run).padStart(4, "0")}`);
  for (let run = 0; run < runs; run += 1) {
    if (run >= distinct) {
      cpSync(directory(run % distinct), directory(run), { recursive: true });
      continue;
    }
    const file = new EventFile(directory(run)).hold();
    const { normal } = chance(run + 1);
    for (let tag = 0; tag < tags; tag += 1) {
      for (let step = 0; step < points; step += 1) {
        file.scalar(`group${tag % 4}/metric${tag}`, Math.exp((-4 * step) / points) + 0.02 * normal(), step);
      }
    }
    file.flush();
  }
}

/** A model of `layers` layers, each with both histograms and what was measured of it. */
export function writeManyLayers(logdir, layers) {
  const file = new EventFile(join(logdir, "deep-layers")).hold();
  const { normal, uniform } = chance(5);
  for (let i = 0; i < layers; i += 1) {
    const values = Array.from({ length: 200 }, normal);
    const rounded = values.map((v) => Math.round(v * 8) / 8);
    const tag = (what, variant) => `deep/layers/block${Math.floor(i / 20)}.conv${i % 20}/${what}/${variant}`;
    file.histogram(tag("Output", "fp32"), values, 0, 30).histogram(tag("Output", "int8"), rounded, 0, 30);
    file.scalar(tag("sqnr_db", "int8"), 10 + 30 * uniform()).scalar(tag("cosine", "int8"), 1 - 0.02 * uniform());
  }
  file.flush();
}

/** Models with everything that a report speaks about. */
export function writeModels(logdir, models) {
  const { uniform } = chance(3);
  for (let i = 0; i < models; i += 1) {
    const name = `model_${i}`;
    const file = new EventFile(join(logdir, name)).hold();
    const pairs = {
      "metrics/accuracy": [0.75 + i / 100, 0.74 + i / 100], "performance/latency_ms": [40 + i, 18 + i], "performance/model_size_mb": [100 + 10 * i, 26 + 3 * i],
      "performance/throughput": [100, 230], "performance/memory_usage_mb": [900, 300], "performance/energy_mw": [45000, 30000],
    };
    for (const [tag, [a, b]] of Object.entries(pairs)) file.scalar(`${name}/${tag}/fp32`, a).scalar(`${name}/${tag}/int8`, b);
    for (let layer = 0; layer < 20; layer += 1) {
      const values = Array.from({ length: 500 }, () => uniform() - 0.5);
      file.histogram(`${name}/layers/conv${layer}/Output/fp32`, values).histogram(`${name}/layers/conv${layer}/Output/int8`, values.map((v) => Math.round(v * 64) / 64));
    }
    file.flush();
  }
}
