// Paints one pane of a graph on a canvas: only the visible part, with as much detail as the zoom allows.
import { plural } from "../../base/text/format";
import { seen, type Camera, type Size } from "./camera";
import type { Look } from "./colours";
import { Change, isIn, Kind, opOf, type Drawing, type Side } from "./data";
import type { Grid } from "./grid";
import { fitText, linePath, tipPath, withoutNamespace } from "./strokes";

export interface Ink {
  readonly paper: string;
  readonly sunk: string;
  readonly group: string;
  readonly line: string;
  readonly control: string;
  readonly ink: string;
  readonly ink2: string;
  readonly ink3: string;
  readonly good: string;
  readonly warn: string;
  readonly bad: string;
  readonly heat: readonly string[];
  readonly runs: readonly string[];
  readonly family: string;
}

export interface Indices {
  readonly boxes: Grid;
  readonly links: Grid;
}

/** The indices of the boxes to mark; -1 for no box. */
export interface Marks {
  readonly selected: number;
  readonly hovered: number;
  readonly strong: ReadonlySet<number>;
  readonly found: ReadonlySet<number>;
}

export interface Pane extends Size {
  readonly side: Side;
  readonly left: number;
}

const NAMES_FROM = 0.45; // Below this zoom, boxes have no text.
const TIPS_FROM = 0.3; // Below this zoom, lines have no arrows.
const LINES_FROM = 0.035; // Below this zoom, lines are not drawn.
const DIM = 0.22;
const MIN_OPERATOR = 0.2; // The least share of a box that its operator gets beside a long name.

export function paintPane(
  context: CanvasRenderingContext2D,
  drawing: Drawing,
  indices: Indices,
  look: Look,
  marks: Marks,
  camera: Camera,
  pane: Pane,
  ink: Ink,
): number {
  const { view } = drawing;
  const area = seen(camera, pane);
  const sees = view.boxes.b ? (pane.side === "a" ? 1 : 2) : 3;
  context.save();
  context.beginPath();
  context.rect(pane.left, 0, pane.width, pane.height);
  context.clip();
  context.translate(pane.left - camera.x * camera.k, -camera.y * camera.k);
  context.scale(camera.k, camera.k);
  context.lineWidth = Math.max(1, 0.7 / camera.k) * Math.min(1, 1 / camera.k);

  const near = indices.boxes.find(area);
  const visible = near.filter((box) => !view.boxes.b || isIn(drawing, box, pane.side));
  const hulls = visible.filter((box) => view.boxes.kinds[box] === Kind.Open);
  const leaves = visible.filter((box) => view.boxes.kinds[box] !== Kind.Open);
  paintHulls(context, drawing, hulls, marks, camera, ink);
  let painted = visible.length;
  if (camera.k >= LINES_FROM) {
    const links = indices.links.find(area).filter((link) => (view.links.sides[link]! & sees) !== 0);
    painted += links.length;
    if (view.boxes.b)
      paintPassed(
        context,
        drawing,
        near.filter((box) => drawing.passed[pane.side][box] === 1),
        ink,
      );
    paintLinks(context, drawing, links, view.boxes.b ? drawing.passed[pane.side] : null, marks, camera, ink);
  }
  if (camera.k < NAMES_FROM) paintSmall(context, drawing, leaves, look, pane.side, marks, ink);
  else for (const box of leaves) paintBox(context, drawing, box, look, pane.side, marks, ink);
  paintMarks(context, drawing, pane.side, marks, camera, ink);
  context.restore();
  return painted;
}

function isDim(drawing: Drawing, box: number): boolean {
  const { traced } = drawing.view.boxes;
  return traced !== undefined && traced[box] === 0;
}

export function heightIn(drawing: Drawing, box: number, side: Side): number {
  return side === "b" ? drawing.tall[box]! : drawing.view.boxes.heights[box]!;
}

function paintHulls(
  context: CanvasRenderingContext2D,
  drawing: Drawing,
  hulls: readonly number[],
  marks: Marks,
  camera: Camera,
  ink: Ink,
): void {
  const { x, y, widths, heights, labels } = drawing.view.boxes;
  context.font = `11px ${ink.family}`;
  context.textAlign = "right";
  for (const box of hulls) {
    context.globalAlpha = isDim(drawing, box) ? DIM * 2 : 1;
    context.strokeStyle = box === marks.selected ? ink.ink : ink.line;
    context.beginPath();
    context.roundRect(x[box]! + 0.5, y[box]! + 0.5, widths[box]!, heights[box]!, 4);
    context.stroke();
    if (camera.k < NAMES_FROM) continue;
    context.fillStyle = box === marks.selected ? ink.ink : ink.ink3;
    context.fillText(
      `${fitText(context, labels[box] ?? "", widths[box]! - 40)} ▾`,
      x[box]! + widths[box]! - 8,
      y[box]! + 15,
    );
  }
  context.globalAlpha = 1;
}

/** Where only the other graph has a node, draws the line of this graph straight through the place of the node. */
function paintPassed(context: CanvasRenderingContext2D, drawing: Drawing, boxes: readonly number[], ink: Ink): void {
  const { x, y, widths, heights } = drawing.view.boxes;
  context.strokeStyle = ink.control;
  context.beginPath();
  for (const box of boxes) {
    const middle = x[box]! + widths[box]! / 2;
    context.moveTo(middle, y[box]!);
    context.lineTo(middle, y[box]! + heights[box]!);
  }
  context.stroke();
}

function paintLinks(
  context: CanvasRenderingContext2D,
  drawing: Drawing,
  links: readonly number[],
  passed: Uint8Array | null,
  marks: Marks,
  camera: Camera,
  ink: Ink,
): void {
  const { points, controls, sources, ends } = drawing.view.links;
  const { kinds } = drawing.view.boxes;
  const draw = (
    chosen: readonly number[],
    colour: string,
    width: number,
    dash: readonly number[],
    alpha: number,
  ): void => {
    if (chosen.length === 0) return;
    context.globalAlpha = alpha;
    context.strokeStyle = context.fillStyle = colour;
    const before = context.lineWidth;
    context.lineWidth = before * width;
    context.setLineDash([...dash]);
    context.beginPath();
    for (const link of chosen) linePath(context, points[link]!);
    context.stroke();
    context.setLineDash([]);
    context.lineWidth = before;
    if (camera.k < TIPS_FROM) return;
    context.beginPath();
    for (const link of chosen)
      if (kinds[ends[link]!] !== Kind.Open && passed?.[ends[link]!] !== 1) tipPath(context, points[link]!);
    context.fill();
  };
  const isFaint = (link: number): boolean => isDim(drawing, sources[link]!) || isDim(drawing, ends[link]!);
  const plain = links.filter((link) => !marks.strong.has(link));
  draw(
    plain.filter((link) => !controls[link] && isFaint(link)),
    ink.control,
    1,
    [],
    DIM,
  );
  draw(
    plain.filter((link) => !controls[link] && !isFaint(link)),
    ink.control,
    1,
    [],
    1,
  );
  draw(
    plain.filter((link) => controls[link]),
    ink.control,
    1,
    [2, 3],
    0.6,
  );
  draw(
    links.filter((link) => marks.strong.has(link)),
    ink.ink,
    1.5,
    [],
    1,
  );
  context.globalAlpha = 1;
}

function fillOf(look: Look, box: number, ink: Ink): string | null {
  if (look.heat[box]! >= 0) return ink.heat[look.heat[box]!] ?? null;
  return look.colour[box]! > 0 ? (ink.runs[look.colour[box]! - 1] ?? null) : null;
}

/** At a small zoom, boxes are painted as plain rectangles, all boxes of one colour together. */
function paintSmall(
  context: CanvasRenderingContext2D,
  drawing: Drawing,
  leaves: readonly number[],
  look: Look,
  side: Side,
  marks: Marks,
  ink: Ink,
): void {
  const { x, y, widths, kinds } = drawing.view.boxes;
  const byColour = new Map<string, number[]>();
  for (const box of leaves) {
    const colour = fillOf(look, box, ink) ?? (kinds[box] === Kind.Closed ? ink.line : ink.control);
    const key = isDim(drawing, box) ? ink.line : colour;
    const list = byColour.get(key);
    if (list) list.push(box);
    else byColour.set(key, [box]);
  }
  for (const [colour, boxes] of byColour) {
    context.fillStyle = colour;
    context.beginPath();
    for (const box of boxes) context.rect(x[box]!, y[box]!, widths[box]!, heightIn(drawing, box, side));
    context.fill();
  }
  if (marks.found.size === 0) return;
  context.fillStyle = ink.ink;
  for (const box of leaves)
    if (marks.found.has(box))
      context.fillRect(x[box]! - 4, y[box]! - 4, widths[box]! + 8, heightIn(drawing, box, side) + 8);
}

const GLYPH: Record<Side, Partial<Record<number, string>>> = {
  a: { [Change.Gone]: "−", [Change.Fused]: "−" },
  b: { [Change.Added]: "+", [Change.Changed]: "~" },
};
const VERDICT = { bad: "✗ ", warn: "▲ ", "": "" } as const;

function paintBox(
  context: CanvasRenderingContext2D,
  drawing: Drawing,
  box: number,
  look: Look,
  side: Side,
  marks: Marks,
  ink: Ink,
): void {
  const { boxes } = drawing.view;
  const [left, top, width, height] = [boxes.x[box]!, boxes.y[box]!, boxes.widths[box]!, heightIn(drawing, box, side)];
  const closed = boxes.kinds[box] === Kind.Closed;
  const pair = boxes.b !== undefined;
  const glyph = pair && !closed ? GLYPH[side][boxes.changes[box]!] : undefined;
  const gone = glyph === "−";
  context.globalAlpha = isDim(drawing, box) ? DIM : 1;
  context.fillStyle = closed ? ink.group : gone ? ink.sunk : ink.paper;
  context.strokeStyle = marks.found.has(box) ? ink.ink : gone ? ink.line : ink.control;
  context.beginPath();
  context.roundRect(left + 0.5, top + 0.5, width, height, 3);
  context.fill();
  context.stroke();
  const fill = fillOf(look, box, ink);
  if (fill !== null) {
    context.fillStyle = fill;
    context.beginPath();
    context.roundRect(left + 2, top + 2, 8, height - 3, 1.5);
    context.fill();
  }
  context.font = `11px ${ink.family}`;
  const value = look.texts[box]!;
  const level = look.levels[box]!;
  const counts = side === "b" ? boxes.b : boxes.a;
  const right =
    value !== ""
      ? VERDICT[level] + value
      : closed
        ? plural(counts?.node_counts[box] ?? 0, "op")
        : withoutNamespace(opOf(drawing, box, side));
  const name = (closed ? "▸ " : "") + (boxes.labels[box] ?? "");
  const indent = fill !== null && glyph !== undefined ? 24 : 16;
  context.textAlign = "right";
  context.fillStyle = level !== "" ? ink[level] : ink.ink3;
  // A figure is whole; an operator is shortened before the name is.
  const free = width - indent - 16 - context.measureText(name).width;
  const rightText = fitText(context, right, value !== "" ? width * 0.55 : Math.max(width * MIN_OPERATOR, free));
  context.fillText(rightText, left + width - 8, top + 15);
  context.textAlign = "left";
  context.fillStyle = gone ? ink.ink3 : ink.ink;
  if (glyph !== undefined) context.fillText(glyph, left + (fill !== null ? 13 : 6), top + 15);
  context.fillText(
    fitText(context, name, width - indent - 16 - context.measureText(rightText).width),
    left + indent,
    top + 15,
  );
  if (side === "b" && height > boxes.heights[box]!) paintFused(context, drawing, box, value !== "", ink);
  context.globalAlpha = 1;
}

/** Writes the names of fused nodes into the box of the node that they were fused into, each at its height in A. */
function paintFused(context: CanvasRenderingContext2D, drawing: Drawing, box: number, named: boolean, ink: Ink): void {
  const { boxes } = drawing.view;
  const [left, width] = [boxes.x[box]!, boxes.widths[box]!];
  context.fillStyle = ink.ink3;
  if (named) context.fillText(fitText(context, opOf(drawing, box, "b"), width - 24), left + 16, boxes.y[box]! + 29);
  context.textAlign = "right";
  for (const fused of drawing.fused.get(box) ?? []) {
    if (boxes.x[fused] !== left) continue;
    context.fillText(
      fitText(context, `${boxes.labels[fused] ?? ""} fused`, width - 24),
      left + width - 8,
      boxes.y[fused]! + 15,
    );
  }
}

function paintMarks(
  context: CanvasRenderingContext2D,
  drawing: Drawing,
  side: Side,
  marks: Marks,
  camera: Camera,
  ink: Ink,
): void {
  const { boxes, links } = drawing.view;
  const outline = (box: number, width: number): void => {
    if (box < 0 || (boxes.b && !isIn(drawing, box, side))) return;
    context.strokeStyle = ink.ink;
    context.lineWidth = width / Math.min(1, camera.k);
    context.beginPath();
    context.roundRect(boxes.x[box]! + 0.5, boxes.y[box]! + 0.5, boxes.widths[box]!, heightIn(drawing, box, side), 3);
    context.stroke();
  };
  if (marks.hovered !== marks.selected) outline(marks.hovered, 1);
  outline(marks.selected, 2);
  // Draws lines that are too long to be shown always. They are drawn if one of their ends is selected.
  context.lineWidth = 1 / camera.k;
  context.setLineDash([6 / camera.k, 4 / camera.k]);
  context.beginPath();
  for (const link of marks.strong) {
    if (links.points[link]!.length > 0) continue;
    const [from, to] = [links.sources[link]!, links.ends[link]!];
    context.moveTo(boxes.x[from]! + boxes.widths[from]! / 2, boxes.y[from]! + heightIn(drawing, from, side));
    context.lineTo(boxes.x[to]! + boxes.widths[to]! / 2, boxes.y[to]!);
  }
  context.strokeStyle = ink.ink2;
  context.stroke();
  context.setLineDash([]);
}

/** Draws a connection between the panes: from the selected box to the corresponding box of the other graph. */
export function paintMatch(
  context: CanvasRenderingContext2D,
  drawing: Drawing,
  box: number,
  camera: Camera,
  panes: readonly Pane[],
  ink: Ink,
): void {
  const [a, b] = panes;
  if (!a || !b || box < 0 || !isIn(drawing, box, "a") || !isIn(drawing, box, "b")) return;
  const { boxes } = drawing.view;
  const at = (pane: Pane, x: number): number => pane.left + (x - camera.x) * camera.k;
  const top = (boxes.y[box]! - camera.y) * camera.k;
  const y = Math.round(top + 11 * camera.k) + 0.5;
  const from = Math.max(0, at(a, boxes.x[box]! + boxes.widths[box]!) + 3);
  const to = Math.min(b.left + b.width, at(b, boxes.x[box]!) - 3);
  if (y < 0 || y > a.height || from > to) return;
  context.strokeStyle = ink.ink2;
  context.lineWidth = 1;
  context.setLineDash([2, 2]);
  context.beginPath();
  const swallowed = drawing.tall[box]! > boxes.heights[box]! ? (drawing.fused.get(box) ?? []) : [];
  if (swallowed.length > 0) {
    const bottom = Math.round((boxes.y[box]! + drawing.tall[box]! - 11 - camera.y) * camera.k) + 0.5;
    context.moveTo(from, y);
    context.lineTo(from + 7, y);
    context.lineTo(from + 7, bottom);
    context.lineTo(from, bottom);
    context.moveTo(from + 7, y);
  } else {
    context.moveTo(from, y);
  }
  context.lineTo(to, y);
  context.stroke();
  context.setLineDash([]);
  if (swallowed.length === 0) return;
  const text = `${swallowed.length + 1} → 1`;
  context.font = `11px ${ink.family}`;
  context.textAlign = "right";
  context.strokeStyle = ink.sunk;
  context.lineWidth = 4;
  context.strokeText(text, b.left - 8, y - 5);
  context.fillStyle = ink.ink;
  context.fillText(text, b.left - 8, y - 5);
}
