// The layout of a matrix of small scatter plots: every column against every metric. Pure functions that convert values
// to pixels.
import type { Column } from "./data";
import { axisOf, type AxisLayout, type AxisView } from "./parallel_layout";

export interface MatrixCell {
  readonly x: Column;
  readonly y: Column;
  readonly left: number;
  readonly top: number;
  /** For each colour, one path with the dots of all trials of this colour. */
  readonly dots: ReadonlyMap<string, string>;
}

export interface MatrixLayout {
  readonly cellWidth: number;
  readonly cellHeight: number;
  readonly height: number;
  readonly cells: readonly MatrixCell[];
  /** The names of the columns, below the middle of their cells. */
  readonly columns: readonly { readonly column: Column; readonly middle: number }[];
  readonly rows: readonly { readonly column: Column; readonly middle: number }[];
}

const LEFT = 24; // Space for the names of the rows, which are rotated.
const BOTTOM = 28;
const GAP = 6;
const DOT = 4; // Space for half a dot between the outermost values and the frame.
const MAX_CELL_HEIGHT = 150;

/** The rows of the matrix are the metrics, and its columns are all axes. Null if the space is too small. */
export function layoutMatrix(
  axes: readonly Column[],
  heats: readonly string[],
  width: number,
  view: AxisView,
): MatrixLayout | null {
  const metrics = axes.filter((column) => column.isMetric);
  const rows = metrics.length > 0 ? metrics : axes;
  const cellWidth = Math.floor((width - LEFT - GAP * axes.length) / Math.max(1, axes.length));
  if (axes.length === 0 || cellWidth < 24) return null;
  const cellHeight = Math.min(MAX_CELL_HEIGHT, Math.max(60, cellWidth));
  const lefts = axes.map((_, i) => LEFT + i * (cellWidth + GAP));
  const tops = rows.map((_, i) => i * (cellHeight + GAP));
  const across = axes.map((column, i): AxisLayout =>
    axisOf(column, 0, lefts[i]! + cellWidth - DOT, lefts[i]! + DOT, view),
  );
  const up = rows.map((column, i): AxisLayout => axisOf(column, 0, tops[i]! + DOT, tops[i]! + cellHeight - DOT, view));
  const cells = rows.flatMap((y, r) =>
    axes.map((x, c): MatrixCell => {
      const dots = new Map<string, string>();
      if (x.id !== y.id)
        x.values.forEach((value, index) => {
          const [px, py] = [across[c]!.y(value), up[r]!.y(y.values[index] ?? null)];
          if (px === null || py === null) return;
          const heat = heats[index] ?? "heat-none";
          dots.set(heat, `${dots.get(heat) ?? ""}M${px.toFixed(1)} ${py.toFixed(1)}h.01`);
        });
      return { x, y, left: lefts[c]!, top: tops[r]!, dots };
    }),
  );
  return {
    cellWidth,
    cellHeight,
    height: rows.length * (cellHeight + GAP) + BOTTOM,
    cells,
    columns: axes.map((column, i) => ({ column, middle: lefts[i]! + cellWidth / 2 })),
    rows: rows.map((column, i) => ({ column, middle: tops[i]! + cellHeight / 2 })),
  };
}
