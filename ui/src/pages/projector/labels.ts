// The labels of rows: the metadata of an embedding (a table separated by tabs, or a list of names), and the colours for
// their values. Pure functions.

export interface Labels {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * Reads a metadata file like TensorBoard: a file with one column has no header; in a file with several columns, the
 * first line contains their names.
 */
export function readLabels(text: string): Labels {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  const cells = lines.map((line) => line.split("\t"));
  if ((cells[0]?.length ?? 0) <= 1) return { columns: ["label"], rows: cells };
  return { columns: cells[0] ?? [], rows: cells.slice(1) };
}

const SHAPES = ["disc", "square", "triangle"] as const;
export type Shape = (typeof SHAPES)[number];

/** The max number of values: eight colours times the shapes; more values cannot be distinguished. */
const COLOURS = 8;
const MAX_VALUES = COLOURS * SHAPES.length;

export interface Look {
  /** The number of the custom property --run-<n>, 1 to 8. 0 means an unknown value. */
  readonly colour: number;
  readonly shape: Shape;
}

export type Colouring =
  | {
      readonly kind: "values";
      readonly keys: readonly { readonly value: string; readonly look: Look }[];
      readonly looks: readonly Look[];
    }
  /** The position of each row's number from 0 (min) to 1 (max); NaN if a row has no number. */
  | { readonly kind: "numbers"; readonly least: number; readonly greatest: number; readonly shares: readonly number[] };

const numberOf = (text: string): number => (text.trim() === "" ? NaN : Number(text));

/** The colours of the rows by a column; null if all values are equal, or if all differ and are not numbers. */
export function colouringOf(labels: Labels, column: number): Colouring | null {
  const cells = labels.rows.map((row) => row[column] ?? "");
  const values = [...new Set(cells)];
  if (values.length < 2) return null;
  if (values.length <= MAX_VALUES) {
    const order = values.sort((p, q) => p.localeCompare(q, "en", { numeric: true }));
    const keys = order.map((value, i) => ({
      value,
      look: { colour: (i % COLOURS) + 1, shape: SHAPES[Math.floor(i / COLOURS)] ?? "disc" },
    }));
    const looks = new Map(keys.map(({ value, look }) => [value, look]));
    return { kind: "values", keys, looks: cells.map((cell) => looks.get(cell) ?? { colour: 0, shape: "disc" }) };
  }
  const numbers = cells.map(numberOf);
  let [least, greatest, known] = [Infinity, -Infinity, 0];
  for (const number of numbers) {
    if (!Number.isFinite(number)) continue;
    [least, greatest, known] = [Math.min(least, number), Math.max(greatest, number), known + 1];
  }
  if (known < cells.length / 2 || !(greatest > least)) return null;
  return {
    kind: "numbers",
    least,
    greatest,
    shares: numbers.map((number) => (Number.isFinite(number) ? (number - least) / (greatest - least) : NaN)),
  };
}

/** The column that colours the points by default: the first column whose values can be shown as colours. */
export function firstColumn(labels: Labels): number {
  return Math.max(
    0,
    labels.columns.findIndex((_, column) => colouringOf(labels, column) !== null),
  );
}
