// The columns of a table with the user's order, widths and visibility. The address holds them as one text:
// "name~240,sqnr,!cosine". Columns that are missing in the text keep their default.
import { listOf, listText } from "../../base/text/lists";

export interface ColumnSpec {
  readonly id: string;
  /** The name of the column in the menu of columns. */
  readonly name: string;
  /** The default width in pixels. A column that `grows` also gets the remaining space of the table. */
  readonly width: number;
  readonly grows?: boolean;
  /** Hidden by default; the user can show the column. */
  readonly hidden?: boolean;
  /** The user cannot hide this column, because the table would not be understandable without it. */
  readonly fixed?: boolean;
}

export interface ArrangedColumn<C extends ColumnSpec> {
  readonly spec: C;
  readonly width: number;
  /** Whether the user has set the width. */
  readonly sized: boolean;
  readonly shown: boolean;
}

const MIN_WIDTH = 40;
const MAX_WIDTH = 1200;

export const clampWidth = (width: number): number => Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)));

interface Entry {
  readonly id: string;
  readonly width: number | null;
  readonly shown: boolean;
}

function readEntries(text: string | null): Entry[] {
  return listOf(text).map((item) => {
    const [, hidden = "", id = "", width] = /^(!?)(.*?)(?:~(\d+))?$/.exec(item) ?? [];
    return { id, width: width === undefined ? null : clampWidth(Number(width)), shown: hidden === "" };
  });
}

/**
 * All columns in the user's order. A column that is missing in the text is placed after the column that it follows by
 * default.
 */
export function arrange<C extends ColumnSpec>(specs: readonly C[], text: string | null): ArrangedColumn<C>[] {
  const entries = readEntries(text);
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const order = entries.flatMap((entry) => specs.find((spec) => spec.id === entry.id) ?? []);
  specs.forEach((spec, i) => {
    if (order.includes(spec)) return;
    const before = specs.slice(0, i).findLast((other) => order.includes(other));
    order.splice(before ? order.indexOf(before) + 1 : 0, 0, spec);
  });
  return order.map((spec) => {
    const entry = byId.get(spec.id);
    return {
      spec,
      width: entry?.width ?? spec.width,
      sized: (entry?.width ?? null) !== null,
      shown: spec.fixed === true || (entry ? entry.shown : spec.hidden !== true),
    };
  });
}

/** The order, widths and visibility of the columns as text for the address; null if all are the default. */
export function arrangementText<C extends ColumnSpec>(
  specs: readonly C[],
  columns: readonly ArrangedColumn<C>[],
): string | null {
  const isDefault = columns.every(
    ({ spec, sized, shown }, i) =>
      spec === specs[i] && !sized && shown === (spec.fixed === true || spec.hidden !== true),
  );
  if (isDefault) return null;
  return listText(
    columns.map(({ spec, width, sized, shown }) => `${shown ? "" : "!"}${spec.id}${sized ? `~${width}` : ""}`),
  );
}

export function withWidth<C extends ColumnSpec>(
  columns: readonly ArrangedColumn<C>[],
  id: string,
  width: number,
): ArrangedColumn<C>[] {
  return columns.map((column) =>
    column.spec.id === id ? { ...column, width: clampWidth(width), sized: true } : column,
  );
}

export function withShown<C extends ColumnSpec>(
  columns: readonly ArrangedColumn<C>[],
  id: string,
  shown: boolean,
): ArrangedColumn<C>[] {
  return columns.map((column) =>
    column.spec.id === id ? { ...column, shown: shown || column.spec.fixed === true } : column,
  );
}

/** Moves the column `id` to the place of the column `target`. */
export function moved<C extends ColumnSpec>(
  columns: readonly ArrangedColumn<C>[],
  id: string,
  target: string,
): ArrangedColumn<C>[] {
  const [from, to] = [
    columns.findIndex(({ spec }) => spec.id === id),
    columns.findIndex(({ spec }) => spec.id === target),
  ];
  const column = columns[from];
  if (!column || to < 0) return [...columns];
  const rest = columns.filter((other) => other !== column);
  rest.splice(to, 0, column);
  return rest;
}
