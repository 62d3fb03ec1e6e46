// Paints the lines of a chart with very many lines, using rasterizer.ts, over its axes.
import type { Scale } from "../../base/math/scale";
import { Rasterizer, pack, type Heights, type Packed } from "./rasterizer";
import { Columns } from "./columns";
import type { Line, LineChartLayout } from "./layout";
import { FAINT, type LineLook } from "./paint";

// One rasterizer for all charts, because charts are painted one after the other.
let rasterizer: Rasterizer | null = null;
let shared = new Columns(0);
let own = new Columns(0); // Columns for lines with non-finite values.
let [places, logs] = [new Float64Array(0), new Float64Array(0)];
let sheet: { canvas: OffscreenCanvas; pen: OffscreenCanvasRenderingContext2D; image: ImageData } | null = null;

function prepare(width: number, height: number): { rasterizer: Rasterizer; sheet: NonNullable<typeof sheet> } | null {
  if (!rasterizer || !sheet || rasterizer.width !== width || rasterizer.height !== height) {
    const canvas = new OffscreenCanvas(width, height);
    const pen = canvas.getContext("2d", { willReadFrequently: true });
    if (!pen) return null;
    const image = pen.createImageData(width, height);
    rasterizer = new Rasterizer(width, height, new Int32Array(image.data.buffer));
    sheet = { canvas, pen, image };
  }
  rasterizer.clear();
  return { rasterizer, sheet };
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

/** The scale as a linear function of the values, or of their logarithms on a log axis. */
function heightsOf(scale: Scale, ratio: number, origin: number): Heights {
  const [d0, d1] = scale.domain;
  const [value0, value1] = scale.log ? [Math.log(d0), Math.log(d1)] : [d0, d1];
  const [at0, at1] = [scale(d0) * ratio - origin, scale(d1) * ratio - origin];
  return { value0, at0, factor: (at1 - at0) / (value1 - value0 || 1) };
}

/** Converts all points in one loop: calling the scale for each of a million points takes longer than painting. */
function place(values: ArrayLike<number>, scale: Scale, ratio: number, origin: number, into: Float64Array): void {
  const { value0, at0, factor } = heightsOf(scale, ratio, origin);
  const plain = scale.log ? logarithms(values, into) : values;
  for (let i = 0; i < values.length; i += 1) into[i] = at0 + (plain[i]! - value0) * factor;
}

function logarithms(values: ArrayLike<number>, into: Float64Array): Float64Array {
  for (let i = 0; i < values.length; i += 1) into[i] = Math.log(values[i]!);
  return into;
}

/** Paints every line with at least two points. Returns false if the browser does not support this way of painting. */
export function paintMany(
  context: CanvasRenderingContext2D,
  layout: LineChartLayout,
  lines: readonly Line[],
  looks: readonly LineLook[],
  ratio: number,
): boolean {
  const { box } = layout;
  const [left, top] = [Math.floor(box.l * ratio), Math.floor((box.t - 4) * ratio)];
  const [width, height] = [Math.ceil((box.r + 1) * ratio) - left, Math.ceil((box.b + 1) * ratio) - top];
  const tools = prepare(width, height);
  if (!tools) return false;
  const most = lines.reduce((sum, line) => Math.max(sum, line.xs.length), 0);
  if (places.length < most) {
    [shared, own] = [new Columns(most), new Columns(most)];
    [places, logs] = [new Float64Array(most), new Float64Array(most)];
  }
  const heights = heightsOf(layout.y, ratio, top);
  let placed: ArrayLike<number> | null = null;
  lines.forEach(({ xs, ys, smooth }, i) => {
    const look = looks[i];
    if (!look) return;
    const colour = packedOf(look.colour, tools.sheet.pen);
    const dash = look.dash.map((length) => length * ratio);
    if (placed !== xs) {
      // Most runs of a tag have the same steps and share one array, so the columns are computed only once.
      place(xs, layout.x, ratio, left, places);
      shared.place(places, xs.length, width);
      placed = xs;
    }
    const isWhole = !layout.y.log && layout.nonFinite[i]?.length === 0;
    const draw = (of: ArrayLike<number>, opacity: number, dashed: readonly number[]): void => {
      const values = layout.y.log ? logarithms(of, logs) : of;
      tools.rasterizer.draw(
        isWhole ? shared : own.place(places, xs.length, width, values),
        values,
        heights,
        colour,
        opacity,
        ratio,
        dashed,
      );
    };
    draw(ys, smooth ? FAINT : 1, smooth ? [] : dash);
    if (smooth) draw(smooth, 1, dash);
  });
  tools.rasterizer.finish();
  tools.sheet.pen.putImageData(tools.sheet.image, 0, 0);
  context.drawImage(tools.sheet.canvas, left / ratio, top / ratio, width / ratio, height / ratio);
  return true;
}
