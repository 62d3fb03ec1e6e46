// Paints the lines of a chart that has many of them, over its axes: carpet.ts on a canvas.
import type { Scale } from "../../lib/scale";
import { Carpet, pack, type Packed } from "./carpet";
import type { Line, LineChartLayout } from "./layout";
import { FAINT, type LineLook } from "./paint";

// One for all charts, which are painted one after the other.
let carpet: Carpet | null = null;
let sheet: { canvas: OffscreenCanvas; pen: OffscreenCanvasRenderingContext2D; image: ImageData } | null = null;
let [xs, ys] = [new Float64Array(0), new Float64Array(0)];

function prepare(width: number, height: number): { carpet: Carpet; sheet: NonNullable<typeof sheet> } | null {
  if (!carpet || !sheet || carpet.width !== width || carpet.height !== height) {
    const canvas = new OffscreenCanvas(width, height);
    const pen = canvas.getContext("2d", { willReadFrequently: true });
    if (!pen) return null;
    const image = pen.createImageData(width, height);
    carpet = new Carpet(width, height, new Int32Array(image.data.buffer));
    sheet = { canvas, pen, image };
  }
  carpet.clear();
  return { carpet, sheet };
}

const packed = new Map<string, Packed>();

function packedOf(colour: string, pen: OffscreenCanvasRenderingContext2D): Packed {
  let known = packed.get(colour);
  if (known === undefined) {
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [r = 0, g = 0, b = 0] = pen.getImageData(0, 0, 1, 1).data;
    known = pack(r, g, b);
    packed.set(colour, known);
  }
  return known;
}

/** What the scale does, in one loop: a call for each of a million points would take longer than to paint them. */
function place(values: ArrayLike<number>, scale: Scale, ratio: number, origin: number, into: Float64Array): void {
  const [d0, d1] = scale.domain;
  const begin = scale.log ? Math.log(d0) : d0;
  const span = (scale.log ? Math.log(d1) : d1) - begin || 1;
  const [r0, r1] = [scale(d0) * ratio - origin, scale(d1) * ratio - origin];
  const factor = (r1 - r0) / span;
  if (scale.log) for (let i = 0; i < values.length; i += 1) into[i] = r0 + (Math.log(values[i]!) - begin) * factor;
  else for (let i = 0; i < values.length; i += 1) into[i] = r0 + (values[i]! - begin) * factor;
}

/** Paints every line that has at least two points; false where the browser cannot. */
export function paintMany(context: CanvasRenderingContext2D, layout: LineChartLayout, lines: readonly Line[], looks: readonly LineLook[], ratio: number): boolean {
  const { box } = layout;
  const [left, top] = [Math.floor(box.l * ratio), Math.floor((box.t - 4) * ratio)];
  const [width, height] = [Math.ceil((box.r + 1) * ratio) - left, Math.ceil((box.b + 1) * ratio) - top];
  const tools = prepare(width, height);
  if (!tools) return false;
  const most = lines.reduce((sum, line) => Math.max(sum, line.xs.length), 0);
  if (xs.length < most) [xs, ys] = [new Float64Array(most), new Float64Array(most)];
  let placed: ArrayLike<number> | null = null; // Most runs of a tag share their steps.
  lines.forEach((line, i) => {
    const look = looks[i];
    if (!look) return;
    const colour = packedOf(look.colour, tools.sheet.pen);
    const dash = look.dash.map((length) => length * ratio);
    if (placed !== line.xs) place(line.xs, layout.x, ratio, left, xs);
    placed = line.xs;
    place(line.ys, layout.y, ratio, top, ys);
    tools.carpet.draw(xs, ys, line.xs.length, colour, line.smooth ? FAINT : 1, ratio, line.smooth ? [] : dash);
    if (!line.smooth) return;
    place(line.smooth, layout.y, ratio, top, ys);
    tools.carpet.draw(xs, ys, line.xs.length, colour, 1, ratio, dash);
  });
  tools.carpet.finish();
  tools.sheet.pen.putImageData(tools.sheet.image, 0, 0);
  context.drawImage(tools.sheet.canvas, left / ratio, top / ratio, width / ratio, height / ratio);
  return true;
}
