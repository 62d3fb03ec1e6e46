// Assigns the points of a line to columns of pixels. Lines with the same steps share the result, so that drawing a
// further line reads little more than its values.

/** The column of points with a non-finite x or value; they leave a gap in the line. */
export const NOWHERE = -2;

/** The pixel columns of at most `most` points. Adjacent points in the same column form a group. */
export class Columns {
  groups = 0;
  /** The index of the first point of each group; the last entry is the number of points. */
  readonly starts: Int32Array;
  /**
   * The column of each group. It is -1 if the group is left of the picture, the picture's width if it is right of the
   * picture, or NOWHERE.
   */
  readonly columns: Int32Array;
  /**
   * Where the line from the last point of the previous group leaves the column of that group, as a fraction of the
   * line's length.
   */
  readonly leaves: Float64Array;
  /**
   * Where the line from the last point of the previous group enters the column of this group, as a fraction of the
   * line's length.
   */
  readonly enters: Float64Array;

  constructor(readonly most: number) {
    this.starts = new Int32Array(most + 1);
    this.columns = new Int32Array(most);
    this.leaves = new Float64Array(most);
    this.enters = new Float64Array(most);
  }

  /**
   * Assigns `count` points at `xs`, in pixels, to the columns of a picture of this width. Points with a non-finite
   * value in `ys` get NOWHERE.
   */
  place(xs: ArrayLike<number>, count: number, width: number, ys: ArrayLike<number> | null = null): this {
    const { starts, columns, leaves, enters } = this;
    let groups = 0;
    let before = NOWHERE;
    for (let i = 0; i < count; i += 1) {
      const x = xs[i]!;
      const known = x - x === 0 && (ys === null || ys[i]! - ys[i]! === 0); // x - x is 0 only for finite numbers.
      const column = !known ? NOWHERE : x < 0 ? -1 : x >= width ? width : Math.floor(x);
      if (groups > 0 && column === before) continue;
      if (column !== NOWHERE && before !== NOWHERE) {
        const from = xs[i - 1]!;
        const isBack = column < before; // Wall times may decrease.
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
