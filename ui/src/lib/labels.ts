// Places labels beside their marks so that none touches another; those that find no room are left
// out.

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

const CHARACTER = 5.6; // The mean width of the 11 px chart type.
const HEIGHT = 14;

export function labelWidth(text: string): number {
  return text.length * CHARACTER + 4;
}

/** The places around a mark at (x, y), the preferred side first, the one across from it last. */
export function spotsAround(text: string, x: number, y: number, preferLeft: boolean): LabelSpot[] {
  const w = labelWidth(text);
  const left: LabelSpot = { box: { x: x - w - 8, y: y - 7, w, h: HEIGHT }, anchor: "end", x: x - 9, y: y + 4 };
  const right: LabelSpot = { box: { x: x + 8, y: y - 7, w, h: HEIGHT }, anchor: "start", x: x + 9, y: y + 4 };
  const [first, last] = preferLeft ? [left, right] : [right, left];
  return [
    first,
    { box: { x: x - w / 2, y: y + 6, w, h: HEIGHT }, anchor: "middle", x, y: y + 18 },
    { box: { x: x - w / 2, y: y - 21, w, h: HEIGHT }, anchor: "middle", x, y: y - 10 },
    last,
  ];
}

/**
 * Takes labels in the order given, each to the first free of its spots inside `frame`. A grid keeps
 * the search for neighbours short when there are thousands.
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
