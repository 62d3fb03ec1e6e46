// Draws many thin lines pixel by pixel. Without a graphics processor, a browser needs more time for a path of a
// thousand points than for anything else on the page, and hundreds of paths cover the same pixels again. Here, a line
// is one vertical run of pixels per column, from its min to its max height, so the time depends on the width of the
// chart and not on the number of points.
import { NOWHERE, type Columns } from "./columns";

/** A colour as one integer: red, green, blue and opacity, 0 to 255 each, from the lowest byte up. */
export type Packed = number;

export const pack = (r: number, g: number, b: number, a = 255): Packed => r | (g << 8) | (b << 16) | (a << 24);

/** Converts values to pixels: `value0` is at pixel `at0`, and a difference of 1 is `factor` pixels. */
export interface Heights {
  readonly value0: number;
  readonly at0: number;
  readonly factor: number;
}

export class Rasterizer {
  // The style of the line that is being drawn.
  private heights: Heights = { value0: 0, at0: 0, factor: 1 };
  private colour: Packed = 0;
  private opacity = 1;
  private thickness = 1;
  private dash: readonly number[] = [];
  private around = 0; // The total length of the dash pattern.
  private along = 0; // The length of the dash pattern that is already drawn.

  /**
   * A picture of width x height device pixels, stored row by row in `pixels`. Until finish() is called, colours are
   * premultiplied by their opacity.
   */
  constructor(
    readonly width: number,
    readonly height: number,
    readonly pixels = new Int32Array(width * height),
  ) {}

  clear(): void {
    this.pixels.fill(0);
  }

  /**
   * Draws the line through the points of `columns` with the given values, from left to right. A line needs at least two
   * points. `dash` holds the lengths of dashes and gaps in turn; [] draws a solid line.
   */
  draw(
    { groups, starts, columns, leaves, enters }: Columns,
    values: ArrayLike<number>,
    heights: Heights,
    colour: Packed,
    opacity: number,
    thickness: number,
    dash: readonly number[] = [],
  ): void {
    this.heights = heights;
    this.colour = colour;
    this.opacity = opacity;
    this.thickness = thickness;
    this.dash = dash;
    this.around = dash.reduce((sum, length) => sum + length, 0);
    this.along = 0;
    let before = NOWHERE;
    // Min, max and last value of the previous group. They include the ends of the lines to the groups before and after
    // it.
    let [least, greatest, last] = [0, 0, 0];
    let isLine = false; // Whether the previous group has two points, or a connection to another group.
    for (let group = 0; group < groups; group += 1) {
      const column = columns[group]!;
      const begin = starts[group]!;
      const end = starts[group + 1]!;
      if (column === NOWHERE) {
        if (isLine) this.paint(before, least, greatest);
        before = column;
        isLine = false;
        this.along = 0;
        continue;
      }
      const first = values[begin]!;
      let low = first;
      let high = first;
      for (let i = begin + 1; i < end; i += 1) {
        const value = values[i]!;
        if (value < low) low = value;
        else if (value > high) high = value;
      }
      if (before !== NOWHERE) {
        const rise = first - last;
        const left = last + rise * leaves[group]!;
        const entered = last + rise * enters[group]!;
        this.paint(before, left < least ? left : least, left > greatest ? left : greatest);
        if (column < before) this.along = 0; // Wall times can decrease: the dash pattern starts again.
        if (column !== before + 1) this.cross(before, column, left, entered);
        if (column < before) this.along = 0;
        if (entered < low) low = entered;
        else if (entered > high) high = entered;
      }
      isLine = before !== NOWHERE || end - begin > 1;
      before = column;
      least = low;
      greatest = high;
      last = values[end - 1]!;
    }
    if (isLine) this.paint(before, least, greatest);
  }

  /** Paints the straight connection in all columns between two groups, without the columns of the groups. */
  private cross(from: number, to: number, left: number, entered: number): void {
    const step = to > from ? 1 : -1;
    const ways = Math.abs(to - from) - 1;
    const rise = ways > 0 ? (entered - left) / ways : 0;
    for (let i = 0; i < ways; i += 1) {
      const [a, b] = [left + i * rise, left + (i + 1) * rise];
      this.paint(from + (i + 1) * step, a < b ? a : b, a < b ? b : a);
    }
  }

  /** Paints one column of the line, between two values. */
  private paint(column: number, least: number, greatest: number): void {
    if (column < 0 || column >= this.width) return;
    const {
      heights: { value0, at0, factor },
      thickness,
    } = this;
    const a = at0 + (least - value0) * factor;
    const b = at0 + (greatest - value0) * factor;
    const rise = a < b ? b - a : a - b;
    const length = Math.sqrt(1 + rise * rise);
    if (this.around > 0) {
      const along = this.along + length;
      // A division with remainder is slow, so it is avoided here.
      this.along = along < this.around ? along : along < 2 * this.around ? along - this.around : along % this.around;
      if (isGap(this.dash, this.along)) return;
    }
    // Extends the column by the pen's thickness where the line is flat, and less where the line is steeper, so that the
    // line looks as if it was drawn with a pen of this thickness.
    const most = thickness * length - rise;
    const room = (most <= 0 ? 0 : most < thickness ? most : thickness) / 2;
    this.fill(column, (a < b ? a : b) - room, (a < b ? b : a) + room);
  }

  private fill(column: number, top: number, bottom: number): void {
    const { height, width, pixels, colour, opacity } = this;
    if (bottom <= 0 || top >= height) return;
    const from = top < 0 ? 0 : top;
    const to = bottom > height ? height : bottom;
    const firstRow = Math.floor(from);
    const lastRow = to === height ? height - 1 : Math.floor(to);
    const first = firstRow * width + column;
    const last = lastRow * width + column;
    if (first === last) {
      blend(pixels, first, colour, (to - from) * opacity);
      return;
    }
    blend(pixels, first, colour, (firstRow + 1 - from) * opacity);
    if (opacity === 1) for (let at = first + width; at < last; at += width) pixels[at] = colour;
    else for (let at = first + width; at < last; at += width) blend(pixels, at, colour, opacity);
    blend(pixels, last, colour, (to - lastRow) * opacity);
  }

  /** Converts the colours to the format of ImageData, which is not premultiplied. Call clear() before drawing again. */
  finish(): void {
    const { pixels } = this;
    for (let at = 0; at < pixels.length; at += 1) {
      const pixel = pixels[at]!;
      const opacity = pixel >>> 24;
      if (opacity === 0 || opacity === 255) continue;
      const scale = 255 / opacity;
      pixels[at] = pack(
        least255((pixel & 255) * scale),
        least255(((pixel >>> 8) & 255) * scale),
        least255(((pixel >>> 16) & 255) * scale),
        opacity,
      );
    }
  }
}

const least255 = (value: number): number => (value > 255 ? 255 : Math.round(value));

function isGap(dash: readonly number[], along: number): boolean {
  let rest = along;
  for (let i = 0; i < dash.length; i += 1) {
    rest -= dash[i] ?? 0;
    if (rest < 0) return i % 2 === 1;
  }
  return false;
}

// Multiplies two channels at a time, each in 16 bits.
function blend(pixels: Int32Array, at: number, colour: Packed, share: number): void {
  const over = (share * 256 + 0.5) | 0;
  const under = 256 - over;
  const now = pixels[at]!;
  const even = (Math.imul(now & 0xff00ff, under) + Math.imul(colour & 0xff00ff, over)) >>> 8;
  const odd = Math.imul((now >>> 8) & 0xff00ff, under) + Math.imul((colour >>> 8) & 0xff00ff, over);
  pixels[at] = (even & 0xff00ff) | (odd & 0xff00ff00);
}
