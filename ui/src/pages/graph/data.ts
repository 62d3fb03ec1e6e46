// The server's responses about graphs, prepared for drawing. docs/rest-api.md describes the responses.

import type { ViewResponse } from "../../api/graphs";

export const enum Kind {
  Node = 0,
  Closed = 1,
  Open = 2,
}
export const enum Change {
  Same = 0,
  Changed = 1,
  Added = 2,
  Gone = 3,
  Fused = 4,
}
export type Side = "a" | "b";

/** The server's view of a graph, with values that were computed from it for drawing. */
export interface Drawing {
  readonly view: ViewResponse;
  readonly count: number;
  readonly indexOf: ReadonlyMap<string, number>;
  /** The height of each box in B, including the nodes that were fused into it. */
  readonly tall: Float64Array;
  /** For each box, the boxes that were fused into it, the uppermost box first. */
  readonly fused: ReadonlyMap<number, readonly number[]>;
  /**
   * For each of the two graphs: 1 for nodes that the graph does not have, but through which one of its lines passes;
   * otherwise 0.
   */
  readonly passed: Readonly<Record<Side, Uint8Array>>;
}

export function readView(view: ViewResponse): Drawing {
  const { boxes } = view;
  const count = boxes.paths.length;
  const fused = new Map<number, number[]>();
  boxes.fused_into.forEach((into, i) => {
    if (into < 0) return;
    const list = fused.get(into);
    if (list) list.push(i);
    else fused.set(into, [i]);
  });
  const tall = Float64Array.from(boxes.heights);
  for (const [into, list] of fused) {
    list.sort((p, q) => boxes.y[p]! - boxes.y[q]!);
    // The box is extended only over fused nodes directly below it. The panel lists all fused nodes.
    const below = list.filter(
      (i) => boxes.x[i] === boxes.x[into] && boxes.parents[i] === boxes.parents[into] && boxes.y[i]! > boxes.y[into]!,
    );
    const last = below.at(-1);
    if (last !== undefined) tall[into] = boxes.y[last]! + boxes.heights[last]! - boxes.y[into]!;
  }
  const passed = { a: passedIn(view, 1), b: passedIn(view, 2) };
  return { view, count, indexOf: new Map(boxes.paths.map((path, i) => [path, i])), tall, fused, passed };
}

function passedIn(view: ViewResponse, side: 1 | 2): Uint8Array {
  const { boxes, links } = view;
  const [entered, left] = [new Uint8Array(boxes.paths.length), new Uint8Array(boxes.paths.length)];
  links.sides.forEach((sides, i) => {
    if ((sides & side) === 0) return;
    entered[links.ends[i]!] = 1;
    left[links.sources[i]!] = 1;
  });
  const own = side === 1 ? boxes.ops : boxes.b_ops;
  return entered.map((yes, i) => (yes && left[i] && boxes.kinds[i] === Kind.Node && own[i]! < 0 ? 1 : 0));
}

/** Whether A or B contains the box. If there is only one graph, it is A. */
export function isIn(drawing: Drawing, box: number, side: Side): boolean {
  const { boxes } = drawing.view;
  if (boxes.kinds[box] === Kind.Node) return (side === "a" ? boxes.ops[box]! : boxes.b_ops[box]!) >= 0;
  return (side === "a" ? boxes.a : boxes.b)?.node_counts[box] !== 0;
}

export function opOf(drawing: Drawing, box: number, side: Side): string {
  const { boxes } = drawing.view;
  const own = side === "a" ? boxes.ops[box]! : boxes.b_ops[box]!;
  return boxes.op_names[own >= 0 ? own : Math.max(boxes.ops[box]!, boxes.b_ops[box]!)] ?? "";
}

/** The groups that contain a box, outermost first. Groups that the view does not contain are left out. */
export function groupsAround(drawing: Drawing, box: number): number[] {
  const groups: number[] = [];
  for (let at = drawing.view.boxes.parents[box] ?? -1; at >= 0; at = drawing.view.boxes.parents[at] ?? -1)
    groups.unshift(at);
  return groups;
}

/** The visible box that contains the node at `path`: the node's own box, or a closed group; -1 if there is none. */
export function boxOfPath(drawing: Drawing, path: string): number {
  for (let end = path.length; end > 0; end = Math.max(path.lastIndexOf("/", end - 1), path.lastIndexOf(".", end - 1))) {
    const box = drawing.indexOf.get(path.slice(0, end));
    if (box !== undefined && (end === path.length || drawing.view.boxes.kinds[box] === Kind.Closed)) return box;
  }
  return -1;
}

/** The groups that must be open for `path` to be visible: every prefix that may be a group. */
export function possibleGroups(path: string): string[] {
  const groups: string[] = [];
  for (let i = 1; i < path.length; i += 1) if (path[i] === "/" || path[i] === ".") groups.push(path.slice(0, i));
  return groups;
}

/** The lines to highlight for a box: the lines that leave it or reach it, with all their segments. */
export function linksOf(drawing: Drawing, box: number): { out: Set<number>; in: Set<number> } {
  const { sources, ends, befores } = drawing.view.links;
  const out = new Set<number>();
  const into = new Set<number>();
  sources.forEach((source, i) => {
    if (source === box) out.add(i);
    if (ends[i] !== box) return;
    for (let at = i; at >= 0; at = befores[at] ?? -1) into.add(at);
  });
  return { out, in: into };
}
