// Many thin lines, pixel by pixel. A browser without a graphics processor takes longer for a path of a
// thousand points than for anything else on the page, and hundreds of such paths cover the same pixels
// again and again. Here a line is, in every column of pixels, one run between its min and max
// height: the time goes with the width of the chart, not with the points of the lines.
import { NOWHERE, type Columns } from "./columns";

/** Red, green, blue and opacity, 0 to 255 each, from the lowest byte up. */
export type Packed = number;

export const pack = (r: number, g: number, b: number, a = 255): Packed => r | (g << 8) | (b << 16) | (a << 24);

/** From values to pixels: `at0` is where `value0` is, `factor` pixels of the screen belong to 1. */
export interface Heights {
  readonly value0: number;
  readonly at0: number;
  readonly factor: number;
}

export class Rasterizer {
  // How the present line is drawn.
  private heights: Heights = { value0: 0, at0: 0, factor: 1 };
  private colour: Packed = 0;
  private opacity = 1;
  private thickness = 1;
  private dash: readonly number[] = [];
  private around = 0; // The length of the dash and its gaps.
  private along = 0; // How much of it is behind.

  /** In pixels of the screen, row by row into `pixels`. Until it is finished, colours are multiplied by their opacity. */
  constructor(
    readonly width: number,
    readonly height: number,
    readonly pixels = new Int32Array(width * height),
  ) {}

  clear(): void {
    this.pixels.fill(0);
  }

  /**
   * Draws the line through the points of `columns` that have these values, from the left to the right. Two
   * points at least make a line. `dash` is how long it is drawn and not drawn in turn; [] draws all of it.
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
    let [least, greatest, last] = [0, 0, 0]; // The previous group, with its connections to both sides.
    let isLine = false; // Whether that has two points, or a way to another.
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
        if (column < before) this.along = 0; // Wall times can go back: the dash pattern starts again.
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

  /** Paints the straight way through all columns between two, neither of which is painted. */
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
      this.along = along < this.around ? along : along < 2 * this.around ? along - this.around : along % this.around; // A remainder takes long.
      if (isGap(this.dash, this.along)) return;
    }
    // As much ink as a pen of this width leaves: all of it above and below where the line is flat, none
    // where it is so steep that the column is as wide as the pen.
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

  /** Gives every pixel its colour as an ImageData has it, not multiplied. Nothing is drawn after that until it is cleared. */
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

// Two channels at a time, each in 16 bits of its own.
function blend(pixels: Int32Array, at: number, colour: Packed, share: number): void {
  const over = (share * 256 + 0.5) | 0;
  const under = 256 - over;
  const now = pixels[at]!;
  const even = (Math.imul(now & 0xff00ff, under) + Math.imul(colour & 0xff00ff, over)) >>> 8;
  const odd = Math.imul((now >>> 8) & 0xff00ff, under) + Math.imul((colour >>> 8) & 0xff00ff, over);
  pixels[at] = (even & 0xff00ff) | (odd & 0xff00ff00);
}
