// Places labels beside the marks of a chart without overlaps; labels without a free place are left out.

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export interface LabelSpot {
  readonly box: Box;
  readonly anchor: "start" | "middle" | "end";
  readonly x: number;
  readonly y: number;
}

export function touches(a: Box, b: Box): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

const CHARACTER = 5.6; // The mean width of a character in the 11 px chart font.
const HEIGHT = 14;

function labelWidth(text: string): number {
  return text.length * CHARACTER + 4;
}

/** The places around a mark at (x, y): the preferred side first, the opposite side last. */
export function spotsAround(text: string, x: number, y: number, preferLeft: boolean): LabelSpot[] {
  const w = labelWidth(text);
  const spot = (anchor: LabelSpot["anchor"], dx: number, top: number): LabelSpot => {
    const left = anchor === "end" ? x - dx - w : anchor === "start" ? x + dx : x - w / 2;
    return {
      box: { x: left, y: y + top, w, h: HEIGHT },
      anchor,
      x: anchor === "middle" ? x : anchor === "end" ? x - dx : x + dx,
      y: y + top + 11,
    };
  };
  const [near, far] = preferLeft ? (["end", "start"] as const) : (["start", "end"] as const);
  return [
    spot(near, 9, -7),
    spot(near, 4, 5),
    spot(near, 4, -20),
    spot("middle", 0, 6),
    spot("middle", 0, -21),
    spot(far, 4, 6),
    spot(far, 4, -21),
    spot(far, 9, -7),
  ];
}

/** Small boxes that cover the line from (x0, y0) to (x1, y1), so that no label overlaps the line. */
export function boxesAlong(x0: number, y0: number, x1: number, y1: number): Box[] {
  const pieces = Math.max(1, Math.ceil(Math.hypot(x1 - x0, y1 - y0) / 8));
  const [dx, dy] = [(x1 - x0) / pieces, (y1 - y0) / pieces];
  return Array.from({ length: pieces }, (_, i) => {
    const [px, py] = [x0 + i * dx, y0 + i * dy];
    return { x: Math.min(px, px + dx), y: Math.min(py, py + dy) - 1, w: Math.abs(dx), h: Math.abs(dy) + 2 };
  });
}

/**
 * Places labels in the given order, each at the first of its spots that is free and inside `frame`. A grid makes the
 * search for overlaps fast for thousands of labels.
 */
export class LabelPlacer {
  private readonly cells = new Map<string, Box[]>();
  private static readonly CELL = 64;

  constructor(private readonly frame: Box) {}

  take(box: Box): void {
    for (const key of this.keysOf(box)) {
      const boxes = this.cells.get(key);
      if (boxes) boxes.push(box);
      else this.cells.set(key, [box]);
    }
  }

  place(spots: readonly LabelSpot[]): LabelSpot | null {
    const spot = spots.find(({ box }) => this.isInside(box) && this.isFree(box));
    if (!spot) return null;
    this.take(spot.box);
    return spot;
  }

  private isInside(box: Box): boolean {
    const { x, y, w, h } = this.frame;
    return box.x >= x && box.y >= y && box.x + box.w <= x + w && box.y + box.h <= y + h;
  }

  private isFree(box: Box): boolean {
    return this.keysOf(box).every((key) => !this.cells.get(key)?.some((other) => touches(box, other)));
  }

  private keysOf(box: Box): string[] {
    const cell = LabelPlacer.CELL;
    const keys: string[] = [];
    for (let i = Math.floor(box.x / cell); i <= Math.floor((box.x + box.w) / cell); i += 1) {
      for (let j = Math.floor(box.y / cell); j <= Math.floor((box.y + box.h) / cell); j += 1) keys.push(`${i} ${j}`);
    }
    return keys;
  }
}
