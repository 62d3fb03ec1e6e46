// A spatial index: finds the boxes in a rectangle without checking all boxes.

export interface Rectangle {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

const PER_CELL = 6;
const SPREAD = 24; // Boxes that cover more cells than this are kept in a separate list.

export class Grid {
  private readonly cell: number;
  private readonly columns: number;
  private readonly rows: number;
  private readonly starts: Uint32Array;
  private readonly items: Uint32Array;
  private readonly spread: number[] = [];
  private readonly seen: Uint32Array;
  private visit = 0;

  constructor(
    private readonly boxes: Float64Array,
    width: number,
    height: number,
  ) {
    const count = boxes.length / 4;
    this.seen = new Uint32Array(count);
    this.cell = Math.max(64, Math.sqrt((Math.max(1, width) * Math.max(1, height) * PER_CELL) / Math.max(1, count)));
    this.columns = Math.max(1, Math.ceil(width / this.cell));
    this.rows = Math.max(1, Math.ceil(height / this.cell));
    this.starts = new Uint32Array(this.columns * this.rows + 1);
    for (let i = 0; i < count; i += 1)
      if (
        !this.forCells(i, (c) => {
          this.starts[c + 1]! += 1;
        })
      )
        this.spread.push(i);
    for (let c = 1; c < this.starts.length; c += 1) this.starts[c]! += this.starts[c - 1]!;
    this.items = new Uint32Array(this.starts.at(-1) ?? 0);
    const next = this.starts.slice();
    for (let i = 0; i < count; i += 1)
      this.forCells(i, (c) => {
        this.items[next[c]!++] = i;
      });
  }

  /** Indices of the boxes that touch `area`, in ascending order. */
  find(area: Rectangle): number[] {
    this.visit += 1;
    const found = this.spread.filter((i) => this.touches(i, area));
    const [c0, c1] = [this.column(area.x0), this.column(area.x1)];
    const [r0, r1] = [this.row(area.y0), this.row(area.y1)];
    for (let row = r0; row <= r1; row += 1) {
      for (let k = this.starts[row * this.columns + c0]!; k < this.starts[row * this.columns + c1 + 1]!; k += 1) {
        const item = this.items[k]!;
        if (this.seen[item] === this.visit) continue;
        this.seen[item] = this.visit;
        if (this.touches(item, area)) found.push(item);
      }
    }
    return found.sort((p, q) => p - q);
  }

  private touches(i: number, area: Rectangle): boolean {
    const b = this.boxes;
    return b[4 * i]! <= area.x1 && b[4 * i + 2]! >= area.x0 && b[4 * i + 1]! <= area.y1 && b[4 * i + 3]! >= area.y0;
  }

  private column(x: number): number {
    return Math.max(0, Math.min(this.columns - 1, Math.floor(x / this.cell)));
  }

  private row(y: number): number {
    return Math.max(0, Math.min(this.rows - 1, Math.floor(y / this.cell)));
  }

  private forCells(i: number, use: (cell: number) => void): boolean {
    const b = this.boxes;
    const [c0, c1] = [this.column(b[4 * i]!), this.column(b[4 * i + 2]!)];
    const [r0, r1] = [this.row(b[4 * i + 1]!), this.row(b[4 * i + 3]!)];
    if ((c1 - c0 + 1) * (r1 - r0 + 1) > SPREAD) return false;
    for (let row = r0; row <= r1; row += 1)
      for (let column = c0; column <= c1; column += 1) use(row * this.columns + column);
    return true;
  }
}
