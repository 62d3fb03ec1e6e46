// Which columns of pixels the points of a line are in. Lines that share their steps share this, so that
// to draw one of them hardly more has to be looked at than its values.

/** The column of points outside of the screen; non-finite values leave a gap. */
export const NOWHERE = -2;

/** The columns of at most `most` points. Points next to each other in the same column are one group. */
export class Columns {
  groups = 0;
  /** The first point of each group; behind the last, how many points there are. */
  readonly starts: Int32Array;
  /** The column of each group: -1 left of the picture, its width right of it, or NOWHERE. */
  readonly columns: Int32Array;
  /** How far along the way from the point before a group to its first one that leaves the column of the group before. */
  readonly leaves: Float64Array;
  /** And how far along it enters the column of the group. */
  readonly enters: Float64Array;

  constructor(readonly most: number) {
    this.starts = new Int32Array(most + 1);
    this.columns = new Int32Array(most);
    this.leaves = new Float64Array(most);
    this.enters = new Float64Array(most);
  }

  /** Places `count` points at `xs`, in pixels of a picture so wide; those whose value in `ys` is no number are nowhere. */
  place(xs: ArrayLike<number>, count: number, width: number, ys: ArrayLike<number> | null = null): this {
    const { starts, columns, leaves, enters } = this;
    let groups = 0;
    let before = NOWHERE;
    for (let i = 0; i < count; i += 1) {
      const x = xs[i]!;
      const known = x - x === 0 && (ys === null || ys[i]! - ys[i]! === 0); // Neither NaN nor infinity gives zero.
      const column = !known ? NOWHERE : x < 0 ? -1 : x >= width ? width : Math.floor(x);
      if (groups > 0 && column === before) continue;
      if (column !== NOWHERE && before !== NOWHERE) {
        const from = xs[i - 1]!;
        const isBack = column < before; // Clocks go back.
        leaves[groups] = ((isBack ? before : before + 1) - from) / (x - from);
        enters[groups] = ((isBack ? column + 1 : column) - from) / (x - from);
      }
      starts[groups] = i;
      columns[groups] = column;
      groups += 1;
      before = column;
    }
    starts[groups] = count;
    this.groups = groups;
    return this;
  }
}
