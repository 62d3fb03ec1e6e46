// Graphs as they are logged: a network before and after quantization, its stages, one of any size.
// GraphDef and RunMetadata are written byte by byte, without the program under test.
import { join } from "node:path";
import { bytes, EventFile, whole } from "./event_file.mjs";

const TYPES = { float: 1, int8: 6, qint8: 11 };

const shapeOf = (shape) => Buffer.concat(shape.map((size) => bytes(2, whole(1, size))));

/** An AttrValue: text, whole number, {type}, {shape} or {shapes}. */
function attribute(value) {
  if (typeof value === "string") return bytes(2, value);
  if (typeof value === "number") return whole(3, value);
  if ("type" in value) return whole(6, TYPES[value.type]);
  if ("shape" in value) return bytes(7, shapeOf(value.shape));
  return bytes(1, Buffer.concat(value.shapes.map((shape) => bytes(7, shapeOf(shape)))));
}

/** {name, op, inputs, device, attributes} as a NodeDef in a GraphDef. */
function nodeDef({ name, op = "", inputs = [], device = "", attributes = {} }) {
  return bytes(1, Buffer.concat([
    bytes(1, name), bytes(2, op), ...inputs.map((input) => bytes(3, input)), bytes(4, device),
    ...Object.entries(attributes).map(([key, value]) => bytes(5, Buffer.concat([bytes(1, key), bytes(2, attribute(value))]))),
  ]));
}

export function addGraph(file, nodes) {
  return file.event(0, bytes(4, Buffer.concat(nodes.map(nodeDef))));
}

/** `costs`: {node: {bytes, micros}}. */
export function addRunMetadata(file, tag, costs) {
  const stats = Object.entries(costs).map(([name, { bytes: size = 0, micros = 0 }]) =>
    bytes(2, Buffer.concat([bytes(1, name), whole(5, micros), bytes(6, Buffer.concat([bytes(1, "cpu"), whole(2, size)]))])));
  const metadata = bytes(1, bytes(1, Buffer.concat([bytes(1, "/device:CPU:0"), ...stats])));
  return file.event(0, bytes(8, Buffer.concat([bytes(1, tag), bytes(2, metadata)])));
}

/** ResNet-18 with or without its batch normalization and activations fused into convolutions. */
export function resnet18({ quantized = false, fused = quantized } = {}) {
  const nodes = [];
  const add = (name, op, inputs, shape, attributes = {}) => {
    nodes.push({ name, op, inputs, device: op, attributes: { _output_shapes: { shapes: [[-1, ...shape]] }, ...attributes } });
    return name;
  };
  const conv = (name, input, [channels, size], from, kernel = 3, relu = true) => {
    const weight = `${name}/weight`;
    nodes.push({ name: weight, op: "Const", attributes: { dtype: { type: quantized ? "int8" : "float" }, shape: { shape: [channels, from, kernel, kernel] } } });
    return add(`${name}/${quantized ? "Conv_quantized" : "Conv"}`, quantized ? "QLinearConv" : "Conv", [input, weight], [channels, size, size],
      { strides: kernel === 7 ? "[2, 2]" : "[1, 1]", pads: "[1, 1, 1, 1]", ...(quantized ? { scale: relu ? "0.0187" : "0.0231", zero_point: 0 } : {}) });
  };
  const norm = (name, input, shape) => (fused ? input : add(name, "BatchNormalization", [input], [shape[0], shape[1], shape[1]]));
  const relu = (name, input, shape) => (fused ? input : add(name, "Relu", [input], [shape[0], shape[1], shape[1]]));

  let x = add("input", "Placeholder", [], [3, 224, 224], { dtype: { type: "float" } });
  if (quantized) x = add("quantize", "QuantizeLinear", [x], [3, 224, 224]);
  x = relu("relu", norm("bn1", conv("conv1", x, [64, 112], 3, 7), [64, 112]), [64, 112]);
  x = add("maxpool", "MaxPool", [x], [64, 56, 56]);
  let from = 64;
  [64, 128, 256, 512].forEach((channels, i) => {
    const size = 56 >> i;
    for (const block of [0, 1]) {
      const at = `layer${i + 1}/${block}`;
      let y = relu(`${at}/relu`, norm(`${at}/bn1`, conv(`${at}/conv1`, x, [channels, size], from), [channels, size]), [channels, size]);
      y = norm(`${at}/bn2`, conv(`${at}/conv2`, y, [channels, size], channels, 3, false), [channels, size]);
      if (from !== channels) x = norm(`${at}/downsample/1`, conv(`${at}/downsample/0`, x, [channels, size], from, 1, false), [channels, size]);
      x = relu(`${at}/relu2`, add(`${at}/add`, quantized ? "QLinearAdd" : "Add", [y, x], [channels, size, size]), [channels, size]);
      from = channels;
    }
  });
  x = add("avgpool", quantized ? "QLinearGlobalAveragePool" : "GlobalAveragePool", [x], [512, 1, 1]);
  x = add("flatten", "Flatten", [x], [512]);
  nodes.push({ name: "fc/weight", op: "Const", attributes: { dtype: { type: quantized ? "int8" : "float" }, shape: { shape: [1000, 512] } } });
  x = add(`fc/${quantized ? "Gemm_quantized" : "Gemm"}`, quantized ? "QGemm" : "Gemm", [x, "fc/weight"], [1000]);
  if (quantized) x = add("dequantize", "DequantizeLinear", [x], [1000]);
  return nodes;
}

const weightBytes = (nodes, bits) => Object.fromEntries(nodes.filter((node) => node.op === "Const").map((node) => {
  const elements = node.attributes.shape.shape.reduce((product, n) => product * n, 1);
  return [nodes.find((user) => user.inputs?.includes(node.name)).name, { bytes: (elements * bits) / 8, micros: Math.round(elements / (bits * 40)) + 12 }];
}));

/** The network as runs resnet18/fp32 and resnet18/int8. */
export function writeGraphs(logdir) {
  for (const [variant, quantized] of [["fp32", false], ["int8", true]]) {
    const file = new EventFile(join(logdir, "resnet18", variant)).hold();
    const nodes = resnet18({ quantized });
    addRunMetadata(addGraph(file, nodes), "step 100", weightBytes(nodes, quantized ? 8 : 32));
    file.flush();
  }
}

/** Stages of one quantization, each with its graph, as a model compression toolkit logs them. */
export function writeGraphStages(logdir) {
  const stages = { initial_graph: {}, after_graph_preparation: { fused: true }, after_statistic_collection: { fused: true }, thresholds_selection: { quantized: true }, after_gptq: { quantized: true } };
  for (const [stage, how] of Object.entries(stages)) {
    const file = new EventFile(join(logdir, "mct", "tensorboard_logs", stage)).hold();
    const nodes = resnet18(how);
    addRunMetadata(addGraph(file, nodes), "Resources", weightBytes(nodes, how.quantized ? 8 : 32));
    file.flush();
  }
}

/** `count` nodes, eight side by side, with shortcuts; in groups of `perGroup`, or flat. */
export function largeNetwork(count, perGroup = 0) {
  const name = (i) => (perGroup > 0 ? `stage${Math.floor(i / perGroup / 10)}/block${Math.floor(i / perGroup) % 10}/op${i}` : `op${i}`);
  const ops = ["Conv", "Relu", "BatchNormalization", "Add", "MaxPool"];
  let state = 7;
  const random = (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % below;
  };
  return Array.from({ length: count }, (_, i) => {
    const inputs = i < 8 ? [] : [name(i - 1 - random(8))];
    if (i >= 100 && random(2) === 0) inputs.push(name(i - 1 - random(40)));
    return { name: name(i), op: ops[i % ops.length], inputs, attributes: { _output_shapes: { shapes: [[1, 64, 1 + (i % 56), 56]] } } };
  });
}
