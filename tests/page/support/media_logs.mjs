// Logs of TensorBoard's smaller plugins: curves of precision, laid out charts, embeddings, sounds and
// meshes; written byte by byte, without the program under test.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bytes, EventFile, png, varint, whole } from "./event_file.mjs";
import { chance } from "./logdirs.mjs";

const FLOATS = 1;
const STRINGS = 7;

const shapeOf = (...sizes) => bytes(2, Buffer.concat(sizes.map((size) => bytes(2, whole(1, size)))));
const tensor = (shape, values) => bytes(8, Buffer.concat([whole(1, FLOATS), shapeOf(...shape), bytes(4, Buffer.from(Float32Array.from(values).buffer))]));
const metadata = (plugin, content) => bytes(9, bytes(1, Buffer.concat([bytes(1, plugin), bytes(2, content)])));

/** Rows of true and false positives, true and false negatives, precision and recall. */
export function addPrRows(file, tag, rows, step = 0) {
  const thresholds = rows[0].length;
  return file.value(tag, step, tensor([rows.length, thresholds], rows.flat()), metadata("pr_curves", whole(2, thresholds)));
}

/** Counts how `predictions`, 0 to 1, name those whose `labels` are true, at `thresholds` thresholds. */
export function addPrCurve(file, tag, labels, predictions, step = 0, thresholds = 51) {
  const rows = [[], [], [], [], [], []];
  for (let t = 0; t < thresholds; t += 1) {
    const named = predictions.map((p) => p >= t / (thresholds - 1));
    const sum = (of) => named.filter((each, i) => of(each, labels[i])).length;
    const [tp, fp, tn, fn] = [sum((n, l) => n && l), sum((n, l) => n && !l), sum((n, l) => !n && !l), sum((n, l) => !n && l)];
    [tp, fp, tn, fn, tp / Math.max(tp + fp, 1e-7), tp / Math.max(tp + fn, 1e-7)].forEach((value, row) => rows[row].push(value));
  }
  return addPrRows(file, tag, rows, step);
}

/** `layout`: {category: {chart: [tags] or {value, lower, upper}}}. */
export function addLayout(file, layout) {
  const chart = ([title, what]) => bytes(2, Buffer.concat([bytes(1, title), Array.isArray(what)
    ? bytes(2, Buffer.concat(what.map((tag) => bytes(1, tag))))
    : bytes(3, bytes(1, Buffer.concat([bytes(1, what.value), bytes(2, what.lower), bytes(3, what.upper)])))]));
  const categories = Object.entries(layout).map(([title, charts]) => bytes(2, Buffer.concat([bytes(1, title), ...Object.entries(charts).map(chart)])));
  const text = Buffer.concat([whole(1, STRINGS), shapeOf(), bytes(8, Buffer.concat(categories))]);
  return file.value("custom_scalars__config__", 0, bytes(8, text), metadata("custom_scalars", ""));
}

/** A sound of 16 bits: `samples` from -1 to 1. */
export function wav(samples, rate) {
  const bytesOf = Buffer.alloc(44 + 2 * samples.length);
  bytesOf.write("RIFF", 0, "latin1");
  bytesOf.writeUInt32LE(36 + 2 * samples.length, 4);
  bytesOf.write("WAVEfmt ", 8, "latin1");
  bytesOf.writeUInt32LE(16, 16);
  [1, 1].forEach((value, i) => bytesOf.writeUInt16LE(value, 20 + 2 * i)); // PCM, one channel.
  bytesOf.writeUInt32LE(rate, 24);
  bytesOf.writeUInt32LE(2 * rate, 28);
  [2, 16].forEach((value, i) => bytesOf.writeUInt16LE(value, 32 + 2 * i));
  bytesOf.write("data", 36, "latin1");
  bytesOf.writeUInt32LE(2 * samples.length, 40);
  samples.forEach((sample, i) => bytesOf.writeInt16LE(Math.round(32767 * Math.max(-1, Math.min(1, sample))), 44 + 2 * i));
  return bytesOf;
}

export function addSound(file, tag, encoded, step = 0) {
  return file.value(tag, step, bytes(6, Buffer.concat([bytes(4, encoded), bytes(5, "audio/wav")])));
}

const PARTS = { vertices: 1, faces: 2, colors: 3 };

/** Each part is a list of triples; `config` is what three.js is told. */
export function addMesh(file, name, parts, step = 0, config = {}) {
  const components = Object.keys(parts).reduce((bits, part) => bits | (1 << PARTS[part]), 0);
  for (const [part, triples] of Object.entries(parts)) {
    const shape = [1, triples.length, 3];
    const content = Buffer.concat([bytes(2, name), whole(3, PARTS[part]), bytes(5, JSON.stringify(config)), bytes(6, Buffer.concat(shape.map(varint))), whole(7, components)]);
    file.value(`${name}_${PARTS[part]}`, step, tensor(shape, triples.flat()), metadata("mesh", content));
  }
  return file;
}

/** The files of the projector: `metadata` is lines of cells, the first one their names; `pictures` a
 * function of row, x and y that gives 0 to 255 for each of `side` x `side` pixels. */
export function addEmbedding(directory, name, rows, { lines = null, pictures = null, side = 8 } = {}) {
  const folder = join(directory, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "tensors.tsv"), rows.map((row) => row.join("\t")).join("\n"));
  const config = [`tensor_name: "${name}"`, `tensor_path: "${name}/tensors.tsv"`];
  if (lines) {
    writeFileSync(join(folder, "metadata.tsv"), lines.map((line) => line.join("\t")).join("\n"));
    config.push(`metadata_path: "${name}/metadata.tsv"`);
  }
  if (pictures) {
    const columns = Math.ceil(Math.sqrt(rows.length));
    const grey = (x, y) => {
      const row = Math.floor(y / side) * columns + Math.floor(x / side);
      return row < rows.length ? pictures(row, x % side, y % side) : 0;
    };
    writeFileSync(join(folder, "sprite.png"), png(columns * side, columns * side, grey));
    config.push(`sprite { image_path: "${name}/sprite.png" single_image_dim: ${side} single_image_dim: ${side} }`);
  }
  writeFileSync(join(directory, "projector_config.pbtxt"), `embeddings {\n${config.join("\n")}\n}\n`, { flag: "a" });
}

/** Vertices, faces and colours of a hill, `high` in the middle. */
export function hill(side, high) {
  const vertices = [], faces = [], colors = [];
  for (let i = 0; i < side * side; i += 1) {
    const [x, z] = [(2 * (i % side)) / (side - 1) - 1, (2 * Math.floor(i / side)) / (side - 1) - 1];
    const y = high * Math.exp(-3 * (x * x + z * z));
    vertices.push([x, y, z]);
    colors.push([60 + 190 * Math.min(1, y), 90, 200 - 150 * Math.min(1, y)]);
    if (i % side < side - 1 && i < side * (side - 1)) faces.push([i, i + side, i + 1], [i + 1, i + side, i + side + 1]);
  }
  return { vertices, faces, colors };
}

export const WORDS = ["king", "queen", "prince", "apple", "pear", "plum", "run", "walk", "jump"];
const KINDS = { royal: [4, 0, 0], fruit: [0, 4, 0], verb: [0, 0, 4] };

/** All five kinds, of a model before and after quantization. */
export function writeMedia(logdir) {
  for (const [i, variant] of ["fp32", "int8"].entries()) {
    const directory = join(logdir, "media", variant);
    const file = new EventFile(directory).hold();
    const { uniform, normal } = chance(21 + i);
    for (const step of [0, 50, 100]) {
      for (const [tag, base] of [["cats", 0.3], ["dogs", 0.5]]) {
        const labels = Array.from({ length: 400 }, () => uniform() < base);
        addPrCurve(file, `pr/${tag}`, labels, labels.map((label) => Math.min(1, Math.max(0, 0.5 + (label ? 1 : -1) * (0.1 + step / 500 - i * 0.03) + 0.2 * normal()))), step);
      }
      const tone = Array.from({ length: 16_000 }, (_, t) => 0.8 * Math.exp(-t / 6000) * Math.sin((t * (440 + step)) / 1273) + (i === 1 ? 0.05 * normal() : 0));
      addSound(file, "voice/sample", wav(tone, 8000), step);
      addMesh(file, "surface", hill(21, 0.4 + step / 125 + 0.05 * i), step);
    }
    for (let step = 0; step < 100; step += 2) {
      const loss = 1.5 * Math.exp(-step / 30) + 0.05 * i;
      file.scalar("eval/loss", loss, step).scalar("eval/loss_low", loss * 0.8, step).scalar("eval/loss_high", loss * 1.3, step);
      file.scalar("eval/accuracy", 0.95 - 0.6 * Math.exp(-step / 25) - 0.02 * i, step);
    }
    if (i === 0) {
      addLayout(file, {
        Quality: { "Accuracy and loss": ["eval/(accuracy|loss)"], "Loss with its spread": { value: "eval/loss", lower: "eval/loss_low", upper: "eval/loss_high" } },
        "Not logged": { Perplexity: ["eval/perplexity"], "Its spread": { value: "eval/ppl", lower: "eval/ppl_low", upper: "eval/ppl_high" } },
      });
    }
    file.flush();
    const rows = [], lines = [["word", "kind", "length"]];
    for (let k = 0; k < 180; k += 1) {
      const [kind, middle] = Object.entries(KINDS)[k % 3];
      rows.push([...middle, 0, 0].map((value) => (value + 0.6 * normal() + 0.1 * i).toFixed(4)));
      lines.push([WORDS[(k % 3) * 3 + (Math.floor(k / 3) % 3)], kind, String(1 + (k % 40))]);
    }
    addEmbedding(directory, "words", rows, { lines, pictures: (row, x, y) => ((row % 3 === 0 ? x : row % 3 === 1 ? y : x + y) * 32) % 256 });
  }
}
