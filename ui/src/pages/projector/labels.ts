// The labels of each row: the metadata of an embedding, a table with tabs or a list of names,
// and the colours that tell them apart. Pure.

export interface Labels {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** With one column there is no head, as TensorBoard has it; with several the first line names them. */
export function readLabels(text: string): Labels {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  const cells = lines.map((line) => line.split("\t"));
  if ((cells[0]?.length ?? 0) <= 1) return { columns: ["label"], rows: cells };
  return { columns: cells[0] ?? [], rows: cells.slice(1) };
}

const SHAPES = ["disc", "square", "triangle"] as const;
export type Shape = (typeof SHAPES)[number];

/** Eight colours, in as many shapes: more values than that nobody tells apart. */
const COLOURS = 8;
const MAX_VALUES = COLOURS * SHAPES.length;

export interface Look {
  /** 1 to 8: the custom property --run-<n>; 0: unknown. */
  readonly colour: number;
  readonly shape: Shape;
}

export type Colouring =
  | {
      readonly kind: "values";
      readonly keys: readonly { readonly value: string; readonly look: Look }[];
      readonly looks: readonly Look[];
    }
  /** From 0 for the least to 1 for the greatest; NaN where a row has no number. */
  | { readonly kind: "numbers"; readonly least: number; readonly greatest: number; readonly shares: readonly number[] };

const numberOf = (text: string): number => (text.trim() === "" ? NaN : Number(text));

/** How rows are told apart by a column: null where all are alike, or all differ and are no numbers. */
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

/** The column that is coloured by itself: the first one with colours. */
export function firstColumn(labels: Labels): number {
  return Math.max(
    0,
    labels.columns.findIndex((_, column) => colouringOf(labels, column) !== null),
  );
}
