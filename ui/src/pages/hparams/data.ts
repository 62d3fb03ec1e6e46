// Trials as a table: one column per hyperparameter and per metric, and the filters on columns.
import type { HParamValue, HParamsResponse } from "../../api/hparams";
import { toNumber } from "../../api/shape";
import { significant } from "../../base/text/format";
import { byNumber } from "../../base/text/natural";

export interface Column {
  readonly id: string; // The id of the column: "h:bits" or "m:group\ttag".
  readonly label: string;
  readonly description: string;
  readonly isMetric: boolean;
  readonly isNumeric: boolean;
  readonly values: readonly (HParamValue | null)[];
  readonly varies: boolean;
}

export function cellText(value: HParamValue | null): string {
  return value === null ? "–" : typeof value === "number" ? significant(value, 5) : String(value);
}

/** The levels of a column as in the table (0.3 and not 0.30000000000000004), or exactly if two would look the same. */
export function shownLevels(levels: readonly HParamValue[]): string[] {
  const texts = levels.map(cellText);
  return new Set(texts).size === texts.length ? texts : levels.map(String);
}

export interface Trials {
  readonly total: number;
  readonly columns: readonly Column[];
  readonly names: readonly string[];
  readonly statuses: readonly string[];
  readonly runs: readonly (readonly string[])[];
}

function varies(values: readonly (HParamValue | null)[]): boolean {
  return values.some((value) => !Object.is(value, values[0]));
}

/** The trials in natural order of their names: trial_2 before trial_10. */
export function inOrderOfNames(trials: Trials): Trials {
  const nameOf = (i: number): string => trials.names[i] || trials.runs[i]?.[0] || "";
  const order = [...trials.names.keys()].sort((p, q) => byNumber(nameOf(p), nameOf(q)));
  const sorted = <T>(values: readonly T[]): T[] => order.flatMap((i) => values.slice(i, i + 1));
  return {
    ...trials,
    names: sorted(trials.names),
    statuses: sorted(trials.statuses),
    runs: sorted(trials.runs),
    columns: trials.columns.map((column) => ({ ...column, values: sorted(column.values) })),
  };
}

export function readTrials(response: HParamsResponse): Trials {
  const { hparams, metrics, groups } = response;
  const columns = [
    ...hparams.names.map((name, i): Column => {
      const isNumeric = hparams.types[i] === "number";
      // In a column of numbers, strings are numbers that JSON cannot represent, such as NaN.
      const values = (hparams.values[i] ?? []).map((value) =>
        isNumeric && typeof value === "string" ? Number(value) : value,
      );
      return {
        id: `h:${name}`,
        label: hparams.labels[i] ?? name,
        description: hparams.descriptions[i] ?? "",
        isMetric: false,
        isNumeric,
        values,
        varies: varies(values),
      };
    }),
    ...metrics.tags.map((tag, i): Column => {
      const values = (metrics.values[i] ?? []).map((value) => (value === null ? null : toNumber(value)));
      return {
        id: `m:${metrics.groups[i] ?? ""}\t${tag}`,
        label: metrics.labels[i] ?? tag,
        description: metrics.descriptions[i] ?? "",
        isMetric: true,
        isNumeric: true,
        values,
        varies: varies(values),
      };
    }),
  ];
  return { total: response.total, columns, names: groups.names, statuses: groups.statuses, runs: groups.runs };
}

const knownValues = (column: Column): number => column.values.filter((value) => value !== null).length;

/**
 * The metric that colours the trials: the first metric that varies and that at least half of the trials have. If there
 * is none, the metric that most trials have.
 */
export function usualMetric(columns: readonly Column[]): Column | undefined {
  const metrics = columns.filter((column) => column.isMetric);
  const varying = metrics.filter((column) => column.varies);
  return (
    varying.find((column) => 2 * knownValues(column) >= column.values.length) ??
    [...varying].sort((p, q) => knownValues(q) - knownValues(p))[0] ??
    metrics[0]
  );
}

const MAX_WORDS = 24; // The max number of values on an axis, because more labels are not readable.
const isReadable = (column: Column): boolean => column.isNumeric || new Set(column.values).size <= MAX_WORDS;

/**
 * The default x axis for a metric: the hyperparameter that most trials with this metric have; numbers are preferred to
 * words.
 */
export function usualPartner(columns: readonly Column[], metric: Column): Column | undefined {
  const both = (column: Column): number =>
    column.values.filter((value, i) => value !== null && metric.values[i] !== null).length;
  return columns
    .filter((column) => column !== metric && column.varies && isReadable(column))
    .map((column) => ({ column, rank: [both(column), column.isMetric ? 0 : 1, column.isNumeric ? 1 : 0] as const }))
    .sort((p, q) => q.rank[0] - p.rank[0] || q.rank[1] - p.rank[1] || q.rank[2] - p.rank[2])[0]?.column;
}

/**
 * Chooses the columns that get an axis if there are too many columns: those that most trials have. Half of the chosen
 * columns are metrics. They are shown in the order of all columns.
 */
export function axesOf(columns: readonly Column[], most: number): Column[] {
  const readable = columns.filter(isReadable);
  if (readable.length <= most) return readable;
  const best = (of: readonly Column[], n: number): Column[] =>
    [...of].sort((p, q) => knownValues(q) - knownValues(p)).slice(0, n);
  const metrics = best(
    readable.filter((column) => column.isMetric),
    most >> 1,
  );
  const tried = best(
    readable.filter((column) => !column.isMetric),
    most - metrics.length,
  );
  const chosen = new Set([...metrics, ...tried]);
  return readable.filter((column) => chosen.has(column));
}

/** A filter of a column: a range of numbers, or a set of values. */
export type Filter = { readonly min: number; readonly max: number } | { readonly values: readonly string[] };
export type Filters = ReadonlyMap<string, Filter>;

const escape = (text: string): string =>
  text.replace(/[%~;]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** The filters as text for the address: "h:bits~~4~8;h:scheme~sym~asym". */
export function filtersText(filters: Filters): string | null {
  const parts = [...filters].map(([id, filter]) =>
    "values" in filter
      ? [escape(id), ...filter.values.map(escape)].join("~")
      : `${escape(id)}~~${filter.min}~${filter.max}`,
  );
  return parts.length > 0 ? parts.join(";") : null;
}

export function readFilters(text: string | null): Filters {
  const filters = new Map<string, Filter>();
  for (const part of text?.split(";") ?? []) {
    try {
      const [id = "", ...rest] = part.split("~").map(decodeURIComponent);
      if (id === "" || rest.length === 0) continue;
      const [min, max] = [Number(rest[1]), Number(rest[2])];
      if (rest[0] !== "" || rest.length !== 3) filters.set(id, { values: rest });
      else if (!Number.isNaN(min) && !Number.isNaN(max)) filters.set(id, { min, max });
    } catch {
      // If the address was truncated, only the complete filters are used.
    }
  }
  return filters;
}

function nameOf(id: string): { hparam: string } | { metric: string[] } {
  return id.startsWith("h:") ? { hparam: id.slice(2) } : { metric: id.slice(2).split("\t") };
}

// JSON has no infinity: a missing limit is left out.
const bound = (key: string, value: number): object => (Number.isFinite(value) ? { [key]: value } : {});

/** The request to the server; `sort` is a column, with "-" in front for descending order. */
export function questionOf(
  filters: Filters,
  sort: string | null,
  known: ReadonlyMap<string, Column>,
  limit: number,
): object {
  const columns: object[] = [];
  if (sort !== null)
    columns.push({ ...nameOf(sort.replace(/^-/, "")), order: sort.startsWith("-") ? "descending" : "ascending" });
  for (const [id, filter] of filters) {
    if ("values" in filter)
      columns.push({ ...nameOf(id), values: filter.values.map((text) => valueOf(text, known.get(id))) });
    else columns.push({ ...nameOf(id), ...bound("min", filter.min), ...bound("max", filter.max) });
  }
  return { columns, limit };
}

// Converts a value that was chosen as text to its type, because the server compares values with their types.
function valueOf(text: string, column: Column | undefined): HParamValue {
  const sample = column?.values.find((value) => value !== null && String(value) === text);
  if (sample !== undefined && sample !== null) return sample;
  return text === "true" ? true : text === "false" ? false : text;
}

/** The different values of a column, in natural order. */
export function levelsOf(column: Pick<Column, "values">): HParamValue[] {
  const levels = [...new Set(column.values.filter((value) => value !== null))];
  const collator = new Intl.Collator("en", { numeric: true });
  return levels.sort((p, q) =>
    typeof p === "number" && typeof q === "number" ? p - q : collator.compare(String(p), String(q)),
  );
}
