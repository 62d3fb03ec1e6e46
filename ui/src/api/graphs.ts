// Requests for graphs of models: the list of graphs, their layout, their nodes and their memory.
import {
  boolean,
  booleans,
  either,
  list,
  nullable,
  number,
  numbers,
  object,
  oneOf,
  optional,
  string,
  strings,
  type TypeOf,
} from "./shape";

export const graphsShape = object({
  snapshot: number,
  runs: strings,
  tags: strings,
  kinds: strings,
  models: strings,
  variants: strings,
  wall_times: numbers,
  versions: strings,
  profiles: list(strings),
});
export type GraphsResponse = TypeOf<typeof graphsShape>;

const timelineShape = object({
  experiment: string,
  model: string,
  names: strings,
  titles: strings,
  runs: strings,
  has_graph: booleans,
  has_resources: booleans,
  histogram_counts: numbers,
});
/** The stages of one post-training quantization, in the order in which they were logged. */
export type Timeline = TypeOf<typeof timelineShape>;
export const stagesShape = object({ timelines: list(timelineShape) });

const factsShape = object({
  node_counts: numbers,
  memory_bytes: numbers,
  compute_micros: numbers,
  weight_bytes: numbers,
  output_bytes: numbers,
  weight_bits: numbers,
  activation_bits: numbers,
});
/** Sums over the nodes in each box, for one of the two graphs. */
export type FactColumns = TypeOf<typeof factsShape>;

export const viewShape = object({
  snapshot: number,
  node_count: number,
  shown_count: number,
  folded_count: number,
  edge_count: number,
  group_count: number,
  has_memory: boolean,
  has_time: boolean,
  width: number,
  height: number,
  open: strings,
  devices: strings,
  boxes: object({
    paths: strings,
    labels: strings,
    kinds: numbers,
    parents: numbers,
    x: numbers,
    y: numbers,
    widths: numbers,
    heights: numbers,
    ops: numbers,
    b_ops: numbers,
    op_names: strings,
    devices: numbers,
    changes: numbers,
    fused_into: numbers,
    structures: numbers,
    traced: optional(numbers),
    a: factsShape,
    b: optional(factsShape),
  }),
  links: object({
    sources: numbers,
    ends: numbers,
    befores: numbers,
    counts: numbers,
    sides: numbers,
    controls: numbers,
    points: list(numbers),
  }),
  summary: object({ changes: strings, counts: numbers, ops: strings, others: strings, whats: list(strings) }),
  problems: strings,
});
export type ViewResponse = TypeOf<typeof viewShape>;

export const searchShape = object({ total: number, paths: strings, ops: strings });

/** The path of the node for each requested layer; null if the graph has no such node. */
export const layerPathsShape = object({ paths: list(nullable(string)) });

const memorySideShape = object({
  operations: number,
  unknown_shapes: number,
  places: numbers,
  paths: strings,
  bytes: numbers,
  peak_path: string,
  peak_bytes: number,
});
export type MemorySide = TypeOf<typeof memorySideShape>;
export const memoryShape = object({ snapshot: number, a: optional(memorySideShape), b: optional(memorySideShape) });
export type MemoryResponse = TypeOf<typeof memoryShape>;

const nodeSideShape = object({
  name: string,
  op: string,
  device: string,
  output_shapes: list(nullable(list(nullable(number)))),
  attributes: object({ keys: strings, texts: strings, elided: booleans }),
  weight_bits: number,
  activation_bits: number,
  weight_bytes: number,
  output_bytes: number,
  memory_bytes: nullable(number),
  compute_micros: nullable(number),
});
export type NodeSide = TypeOf<typeof nodeSideShape>;

const endsShape = object({
  total: number,
  paths: strings,
  ops: strings,
  hidden: booleans,
  sides: numbers,
  controls: booleans,
});
export type Ends = TypeOf<typeof endsShape>;

const nodeShape = object({
  kind: oneOf("node"),
  path: string,
  change: string,
  fused_into: nullable(string),
  fused: strings,
  /** The nodes that quantize and dequantize the output of this node. */
  quantization: list(object({ path: string, op: string, side: string, keys: strings, texts: strings })),
  /**
   * Constants with their first values. If the log has no values for one of the graphs, the list has no constants of
   * that graph.
   */
  weights: list(object({ side: string, name: string, values: string })),
  a: nullable(nodeSideShape),
  b: nullable(nodeSideShape),
  differences: object({ whats: strings, a: strings, b: strings }),
  notes: list(object({ side: string, name: string, keys: strings, texts: strings })),
  inputs: endsShape,
  outputs: endsShape,
});
export type NodeResponse = TypeOf<typeof nodeShape>;

const groupShape = object({
  kind: oneOf("group"),
  path: string,
  operations: object({ names: strings, a: numbers, b: numbers }),
  inputs: endsShape,
  outputs: endsShape,
});
export type GroupResponse = TypeOf<typeof groupShape>;

export const nodeOrGroupShape = either(groupShape, nodeShape);
