// Many thin lines, pixel by pixel. A browser without a graphics processor takes longer for a path of a
// thousand points than for anything else on the page, and hundreds of such paths cover the same pixels
// again and again. Here a line is, in every column of pixels, one run from its least to its greatest
// height: the time goes with the width of the chart, not with the points of the lines.

/** Red, green, blue and opacity, 0 to 255 each, from the lowest byte up. */
export type Packed = number;

export const pack = (r: number, g: number, b: number, a = 255): Packed => r | (g << 8) | (b << 16) | (a << 24);

export class Carpet {
  // Column by column, since that is how it is painted; colours are multiplied by their opacity.
  private readonly pixels: Int32Array;
  // The least and greatest height of the present stretch of a line, by column.
  private readonly least: Float64Array;
  private readonly greatest: Float64Array;
  private first: number; // The columns that the present stretch has reached.
  private last = -1;

  /** In pixels of the screen. */
  constructor(readonly width: number, readonly height: number) {
    this.first = width;
    this.pixels = new Int32Array(width * height);
    this.least = new Float64Array(width).fill(Infinity);
    this.greatest = new Float64Array(width).fill(-Infinity);
  }

  clear(): void {
    this.pixels.fill(0);
  }

  /**
   * Draws the line through `count` points given in pixels, from the left to the right. What is no number
   * leaves a hole. `dash` is how long it is drawn and not drawn in turn; [] draws all of it.
   */
  draw(xs: Float64Array, ys: Float64Array, count: number, colour: Packed, opacity: number, thickness: number, dash: readonly number[] = []): void {
    const { least, greatest, width } = this;
    let before = false; // Whether there is a point before.
    let column0 = 0;
    let x0 = 0;
    let y0 = 0;
    for (let i = 0; i < count; i += 1) {
      const x = xs[i]!;
      const y = ys[i]!;
      if (x - x !== 0 || y - y !== 0) { // Neither NaN nor infinity gives zero.
        before = false;
        this.paint(colour, opacity, thickness, dash);
        continue;
      }
      const column = Math.floor(x);
      if (!before) {
        before = true;
      } else if (x < x0) {
        // Clocks go back: the way back and what comes after it are stretches of their own.
        this.paint(colour, opacity, thickness, dash);
        this.reach(x, y, x0, y0);
        this.paint(colour, opacity, thickness, dash);
      } else if (column === column0 && column === this.last && column < width) {
        // Most points of a long line: the one before is in the same column and was counted there.
        if (y < least[column]!) least[column] = y;
        if (y > greatest[column]!) greatest[column] = y;
      } else {
        this.reach(x0, y0, x, y);
      }
      column0 = column;
      x0 = x;
      y0 = y;
    }
    this.paint(colour, opacity, thickness, dash);
  }

  /** From the left point to the right one. */
  private reach(x0: number, y0: number, x1: number, y1: number): void {
    const { least, greatest, width } = this;
    if (x1 < 0 || x0 >= width) return;
    const slope = x1 > x0 ? (y1 - y0) / (x1 - x0) : 0;
    const from = x0 < 0 ? 0 : Math.floor(x0);
    const to = x1 >= width ? width - 1 : Math.floor(x1);
    if (from < this.first) this.first = from;
    if (to > this.last) this.last = to;
    let y = x0 < 0 ? y0 - x0 * slope : y0;
    for (let column = from; column <= to; column += 1) {
      const next = column < x1 - 1 ? y0 + (column + 1 - x0) * slope : y1;
      const low = y < next ? y : next;
      const high = y < next ? next : y;
      if (low < least[column]!) least[column] = low;
      if (high > greatest[column]!) greatest[column] = high;
      y = next;
    }
  }

  /** Paints the present stretch, and begins the next. */
  private paint(colour: Packed, opacity: number, thickness: number, dash: readonly number[]): void {
    const { least, greatest, last } = this;
    const around = dash.reduce((sum, length) => sum + length, 0);
    let along = 0;
    for (let column = this.first; column <= last; column += 1) {
      const low = least[column]!;
      const high = greatest[column]!;
      least[column] = Infinity;
      greatest[column] = -Infinity;
      const rise = high - low;
      const length = Math.sqrt(1 + rise * rise);
      if (around > 0) {
        along = (along + length) % around;
        if (isGap(dash, along)) continue;
      }
      // As much ink as a pen of this width leaves: all of it above and below where the line is flat, none
      // where it is so steep that the column is as wide as the pen.
      const room = Math.min(thickness, Math.max(0, thickness * length - rise)) / 2;
      this.fill(column, low - room, high + room, colour, opacity);
    }
    this.first = this.width;
    this.last = -1;
  }

  private fill(column: number, top: number, bottom: number, colour: Packed, opacity: number): void {
    const { height, pixels } = this;
    if (bottom <= 0 || top >= height) return;
    const from = top < 0 ? 0 : top;
    const to = bottom > height ? height : bottom;
    const firstRow = Math.floor(from);
    const lastRow = to === height ? height - 1 : Math.floor(to);
    const base = column * height;
    if (firstRow === lastRow) {
      blend(pixels, base + firstRow, colour, (to - from) * opacity);
      return;
    }
    blend(pixels, base + firstRow, colour, (firstRow + 1 - from) * opacity);
    if (opacity === 1) for (let row = firstRow + 1; row < lastRow; row += 1) pixels[base + row] = colour;
    else blendRun(pixels, base + firstRow + 1, base + lastRow, colour, opacity);
    blend(pixels, base + lastRow, colour, (to - lastRow) * opacity);
  }

  /** As rows of bytes, as an ImageData has them: `into` has room for width * height * 4. */
  copy(into: Uint8ClampedArray): void {
    for (let column = 0; column < this.width; column += 1) {
      for (let row = 0; row < this.height; row += 1) {
        const pixel = this.pixels[column * this.height + row]!;
        const at = 4 * (row * this.width + column);
        const opacity = pixel >>> 24;
        const scale = opacity === 0 ? 0 : 255 / opacity;
        into[at] = (pixel & 255) * scale;
        into[at + 1] = ((pixel >>> 8) & 255) * scale;
        into[at + 2] = ((pixel >>> 16) & 255) * scale;
        into[at + 3] = opacity;
      }
    }
  }
}

function isGap(dash: readonly number[], along: number): boolean {
  let rest = along;
  for (let i = 0; i < dash.length; i += 1) {
    rest -= dash[i] ?? 0;
    if (rest < 0) return i % 2 === 1;
  }
  return false;
}

function blend(pixels: Int32Array, at: number, colour: Packed, share: number): void {
  blendRun(pixels, at, at + 1, colour, share);
}

// Two channels at a time, each in 16 bits of its own.
function blendRun(pixels: Int32Array, from: number, to: number, colour: Packed, share: number): void {
  const over = (share * 256 + 0.5) | 0;
  const under = 256 - over;
  const even = Math.imul(colour & 0xff00ff, over);
  const odd = Math.imul((colour >>> 8) & 0xff00ff, over);
  for (let at = from; at < to; at += 1) {
    const now = pixels[at]!;
    pixels[at] = (((Math.imul(now & 0xff00ff, under) + even) >>> 8) & 0xff00ff) | ((Math.imul((now >>> 8) & 0xff00ff, under) + odd) & 0xff00ff00);
  }
}
