// What is known of each row: the metadata beside an embedding, a table of tabs or a list of names. Pure.

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

const MOST_COLOURS = 8;

/** A colour, 1 to 8, for each row by its value in a column; null where there are too many values. */
export function coloursOf(labels: Labels, column: number): { readonly colours: readonly number[]; readonly values: readonly string[] } | null {
  const values = [...new Set(labels.rows.map((row) => row[column] ?? ""))];
  if (values.length > MOST_COLOURS || values.length < 2) return null;
  const order = [...values].sort((p, q) => p.localeCompare(q, "en", { numeric: true }));
  const place = new Map(order.map((value, i) => [value, i + 1]));
  return { colours: labels.rows.map((row) => place.get(row[column] ?? "") ?? 1), values: order };
}
