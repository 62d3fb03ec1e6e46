// Paints a line chart on a canvas from its layout.
import type { Pen } from "../drawing/pen";
import { paintNonFiniteNotes } from "./non_finite_notes";
import type { Line, LineChartLayout, Tick } from "./layout";

export interface Ink {
  readonly grid: string;
  readonly axis: string;
  readonly text: string;
  readonly paper: string;
  readonly font: string;
}

export interface LineLook {
  readonly colour: string;
  readonly dash: readonly number[];
}

/** The opacity of raw values under the smoothed ones. */
export const FAINT = 0.26;

// Number of lines from which on all lines are thin, because wide lines would hide each other and take several times as
// long to draw.
const MANY = 24;

// Number of points per line from which on the rasterizer is faster than the canvas.
const LONG = 200;

/** Paints the lines. `paintMany` is a faster painter for many long lines; it returns whether it has painted them. */
export function paintLines(
  context: Pen,
  layout: LineChartLayout,
  lines: readonly Line[],
  looks: readonly LineLook[],
  ink: Ink,
  paintMany: () => boolean = () => false,
): void {
  const { box } = layout;
  context.clearRect(0, 0, box.r + 20, box.b + 30);
  context.font = ink.font;
  paintAxes(context, layout, ink);
  context.save();
  context.beginPath();
  context.rect(box.l, box.t - 4, box.r - box.l + 1, box.b - box.t + 5);
  context.clip();
  lines.forEach((line, i) => {
    const look = looks[i];
    if (look && line.band) paintBand(context, layout, line.xs, line.band, look);
  });
  const points = lines.reduce((sum, line) => sum + line.xs.length, 0);
  const done = lines.length > MANY && points > LONG * lines.length && paintMany();
  lines.forEach((line, i) => {
    const look = looks[i];
    if (!look || (done && line.xs.length - (layout.nonFinite[i]?.length ?? 0) > 1)) return;
    if (line.smooth) stroke(context, layout, line.xs, line.ys, look, 1, FAINT, []);
    stroke(context, layout, line.xs, line.smooth ?? line.ys, look, lines.length > MANY ? 1 : 1.6, 1, look.dash);
  });
  context.restore();
  lines.forEach((_, i) => paintHoles(context, layout, i, looks[i]));
  paintNonFiniteNotes(context, layout, ink);
  if (layout.why === "") return;
  context.textAlign = "center";
  context.fillStyle = ink.text;
  context.fillText(layout.why, (layout.box.l + layout.box.r) / 2, (layout.box.t + layout.box.b) / 2);
}

export function paintAxes(context: Pen, layout: LineChartLayout, ink: Ink): void {
  const { box } = layout;
  context.lineWidth = 1;
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const tick of layout.yTicks) {
    const y = Math.round(tick.at) + 0.5;
    context.strokeStyle = ink.grid;
    line(context, box.l, y, box.r, y);
    context.fillStyle = ink.text;
    context.fillText(tick.text, box.l - 6, tick.at);
  }
  context.strokeStyle = ink.axis;
  const bottom = Math.round(box.b) + 0.5;
  line(context, box.l, bottom, box.r, bottom);
  context.textBaseline = "alphabetic";
  context.fillStyle = ink.text;
  // The axis name is left of the first tick, below the labels of the y axis.
  const [first] = layout.xTicks;
  const end = first ? Math.min(box.l - 6, first.at - context.measureText(first.text).width / 2 - 6) : box.l - 6;
  const named = context.measureText(layout.xName).width;
  const stands = named <= end;
  if (stands) context.fillText(layout.xName, end, box.b + 16);
  // Where there is no room for it, it takes that of the last numbers.
  const isAtEnd = !stands && layout.xName !== "";
  const free = box.r + 8 - named - 8;
  const isFree = ({ at, text }: Tick): boolean => at + context.measureText(text).width / 2 <= free;
  const ticks = isAtEnd ? layout.xTicks.filter(isFree) : layout.xTicks;
  if (isAtEnd) context.fillText(layout.xName, box.r + 8, box.b + 16);
  for (const tick of ticks) {
    const x = Math.round(tick.at) + 0.5;
    line(context, x, bottom, x, bottom + 4);
    context.fillStyle = ink.text;
    const width = context.measureText(tick.text).width;
    const room = Math.min(tick.at + width / 2, box.r + 8);
    context.textAlign = room < tick.at + width / 2 ? "right" : "center";
    context.fillText(tick.text, context.textAlign === "right" ? box.r + 8 : tick.at, box.b + 16);
  }
}

function line(context: Pen, x0: number, y0: number, x1: number, y1: number): void {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

const MAX_DOTS = 100;

function stroke(
  context: Pen,
  layout: LineChartLayout,
  xs: ArrayLike<number>,
  ys: ArrayLike<number>,
  look: LineLook,
  width: number,
  opacity: number,
  dash: readonly number[],
): void {
  context.strokeStyle = look.colour;
  context.lineWidth = width;
  context.globalAlpha = opacity;
  context.lineJoin = "round";
  context.setLineDash([...dash]);
  context.beginPath();
  const { x: toX, y: toY } = layout;
  const least = toY.log ? Number.MIN_VALUE : -Infinity;
  let pen = false;
  let only = 0;
  for (let i = 0; i < xs.length; i += 1) {
    const y = ys[i] ?? NaN;
    if (!Number.isFinite(y) || y < least) {
      pen = false;
      continue;
    }
    if (pen) context.lineTo(toX(xs[i] ?? 0), toY(y));
    else context.moveTo(toX(xs[i] ?? 0), toY(y));
    pen = true;
    only += 1;
  }
  context.stroke();
  context.setLineDash([]);
  // A line with a single point, or with all points at one step, is drawn as dots.
  if (only > 0 && xs[0] === xs[xs.length - 1]) {
    context.fillStyle = look.colour;
    const drawn = new Set<number>();
    for (let i = 0; i < xs.length && drawn.size < MAX_DOTS; i += 1) {
      const y = ys[i] ?? NaN;
      if (!Number.isFinite(y) || y < least || drawn.has(y)) continue;
      drawn.add(y);
      context.beginPath();
      context.arc(toX(xs[i] ?? 0), toY(y), 3, 0, 7);
      context.fill();
    }
  } else if (only === 1) {
    const i = Array.from({ length: xs.length }, (_, k) => k).find((k) => Number.isFinite(ys[k] ?? NaN)) ?? 0;
    context.fillStyle = look.colour;
    context.beginPath();
    context.arc(toX(xs[i] ?? 0), toY(ys[i] ?? 0), 3, 0, 7);
    context.fill();
  }
  context.globalAlpha = 1;
}

// An area from the lower to the upper edge of a band. Each range without non-finite values is a separate area.
function paintBand(
  context: Pen,
  layout: LineChartLayout,
  xs: ArrayLike<number>,
  band: NonNullable<Line["band"]>,
  look: LineLook,
): void {
  const usable = (i: number): boolean =>
    [band.low[i], band.high[i]].every((v) => v !== undefined && Number.isFinite(v) && (!layout.y.log || v > 0));
  context.fillStyle = look.colour;
  context.globalAlpha = 0.16;
  for (let from = 0; from < xs.length; from += 1) {
    if (!usable(from)) continue;
    let to = from;
    while (to + 1 < xs.length && usable(to + 1)) to += 1;
    context.beginPath();
    for (let i = from; i <= to; i += 1) {
      const [x, y] = [layout.x(xs[i] ?? 0), layout.y(band.low[i] ?? 0)];
      if (i === from) context.moveTo(x, y);
      else context.lineTo(x, y);
    }
    for (let i = to; i >= from; i -= 1) context.lineTo(layout.x(xs[i] ?? 0), layout.y(band.high[i] ?? 0));
    context.closePath();
    context.fill();
    from = to;
  }
  context.globalAlpha = 1;
}

// A triangle at the top of the chart marks NaN and infinity, as in TensorBoard.
function paintHoles(context: Pen, layout: LineChartLayout, index: number, look: LineLook | undefined): void {
  if (!look) return;
  context.fillStyle = look.colour;
  for (const hole of layout.nonFinite[index] ?? []) {
    const x = layout.x(hole.x);
    if (x < layout.box.l || x > layout.box.r) continue;
    const y = hole.value === -Infinity ? layout.box.b - 2 : layout.box.t + 10;
    const tip = hole.value === -Infinity ? y - 8 : y - 9;
    context.beginPath();
    context.moveTo(x, tip);
    context.lineTo(x + 5, y);
    context.lineTo(x - 5, y);
    context.fill();
  }
}
