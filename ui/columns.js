// The columns of the Overview table, and how each draws its cells.
import {compact, fixed, html, svg, times} from "./dom.js";

/** A drop beyond this is drawn as a verdict. */
export const NOTABLE_DROP = 1;

/** `read` is what a column is sorted by, `cell` what it shows. */
export const COLUMNS = [
  {
    key: "model",
    title: "Model",
    read: (pair) => pair.model,
    cell: (pair) => pair.model,
    text: true
  },
  {
    key: "source",
    title: "Source",
    read: (pair) => pair.source,
    cell: (pair) => pair.source,
    text: true
  },
  {
    key: "variant",
    title: "Variant",
    read: (pair) => pair.variant,
    cell: (pair) => `${pair.baseline} → ${pair.variant}`,
    text: true
  },
  {
    key: "accuracy",
    title: "Accuracy",
    unit: "%",
    pair: true,
    read: (pair) => pair.accuracy.b,
    cell: (pair) => ab(pair.accuracy, (value) => fixed(value))
  },
  {
    key: "drop",
    title: "Drop, pp",
    read: (pair) => pair.drop,
    cell: (pair, scale) => delta(pair, scale)
  },
  {
    key: "size",
    title: "Size",
    unit: "MB",
    pair: true,
    read: (pair) => pair.size.b,
    cell: (pair) => ab(pair.size, compact)
  },
  {
    key: "ratio",
    title: "Ratio",
    read: (pair) => pair.sizeRatio,
    cell: (pair) => factor(pair.sizeRatio)
  },
  {
    key: "latency",
    title: "Latency",
    unit: "ms",
    pair: true,
    read: (pair) => pair.latency.b,
    cell: (pair) => ab(pair.latency, compact)
  },
  {
    key: "speedup",
    title: "Speedup",
    read: (pair) => pair.speedup,
    cell: (pair) => factor(pair.speedup)
  },
  {key: "aurora", title: "AURORA", read: (pair) => pair.aurora, cell: (pair) => score(pair)},
];

const gap = (title) => html("span", {class: "none", title}, "not logged");
const dash = (title) => html("span", {class: "none", title}, "–");

function ab(values, format) {
  if (values.missing.length) return gap(`not logged: ${values.missing.join(", ")}`);
  return html(
    "span", {class: "ab"}, html("span", {class: "from"}, format(values.a)), html("i", {}, "→"),
    html("span", {}, format(values.b)));
}

function factor(value) {
  if (value === null) return dash("needs both values of the column before");
  return html("span", {class: value < 1 ? "bad" : null}, times(value));
}

function delta(pair, scale) {
  if (pair.drop === null) return dash(`needs ${pair.accuracy.missing.join(", ")}`);
  const length = Math.min(Math.abs(pair.drop) / scale, 1) * 42;
  return html(
    "span", {class: "delta"},
    svg(
      "svg", {"aria-hidden": "true"}, svg("rect", {
        class: pair.drop > NOTABLE_DROP ? "worse" : null,
        x: pair.drop < 0 ? 12 - Math.min(length, 12) : 12,
        y: 1,
        width: pair.drop < 0 ? Math.min(length, 12) : length,
        height: 6
      }),
      svg("line", {x1: 12, x2: 12, y1: 0, y2: 8})),
    html("span", {class: "num"}, dropText(pair.drop)));
}

/** 1.002, where 1.00 would contradict its colour. */
function dropText(drop) {
  const contradicts = drop !== NOTABLE_DROP && fixed(drop) === fixed(NOTABLE_DROP);
  return fixed(drop, contradicts ? 3 : 2);
}

function score(pair) {
  if (pair.aurora === null) return dash(pair.auroraReason);
  const origin = pair.auroraComputed ? "computed here" : "as logged";
  const coverage = pair.coverage === null ? "" : `, coverage ${fixed(pair.coverage)}`;
  return html("span", {title: `${origin}${coverage}`}, fixed(pair.aurora));
}
