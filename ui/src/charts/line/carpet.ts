// Many thin lines, pixel by pixel. A browser without a graphics processor takes longer for a path of a
// thousand points than for anything else on the page, and hundreds of such paths cover the same pixels
// again and again. Here a line is, in every column of pixels, one run from its least to its greatest
// height: the time goes with the width of the chart, not with the points of the lines.

/** Red, green, blue and opacity, 0 to 255 each, from the lowest byte up. */
export type Packed = number;

export const pack = (r: number, g: number, b: number, a = 255): Packed => r | (g << 8) | (b << 16) | (a << 24);

export class Carpet {
  // The least and greatest height of the present stretch of a line, by column.
  private readonly least: Float64Array;
  private readonly greatest: Float64Array;
  private first: number; // The columns that the present stretch has reached.
  private last = -1;

  /** In pixels of the screen, row by row into `pixels`. Until it is finished, colours are multiplied by their opacity. */
  constructor(readonly width: number, readonly height: number, readonly pixels = new Int32Array(width * height)) {
    this.first = width;
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
    const { height, width, pixels } = this;
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
      pixels[at] = pack(least255((pixel & 255) * scale), least255(((pixel >>> 8) & 255) * scale), least255(((pixel >>> 16) & 255) * scale), opacity);
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
