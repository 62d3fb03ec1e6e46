// The filter of the overview: words, and conditions on columns of the table: `resnet drop<1 speedup>1.2`.
import type { Metric } from "../../api/compression/table";
import { asFraction, isFraction } from "../../domain/models/gates";
import { wordsOf, parseRunFilter, passes, type Condition } from "../../domain/runs/run_filter";
import { withComma } from "../../base/text/format";
import { pairAt, type OverviewData, type Row } from "./rows";

export interface FilterColumn {
  /** The name of the column in the filter: "drop". */
  readonly id: string;
  readonly label: string;
  readonly valueOf: (row: Row) => number | null;
  /** Whether the column is a metric, which can also be named by a part of its name or label. */
  readonly isMetric: boolean;
  /** Whether values are fractions that are shown in per cent; limits may be typed in both forms. */
  readonly inPerCent: boolean;
}

const isSpeed = (metric: Metric): boolean => metric.name === "latency_mean_ms" || metric.name === "throughput";

function metricColumn(data: OverviewData, metric: Metric): FilterColumn {
  const inPerCent = isFraction(metric);
  return {
    id: metric.name,
    label: `${withComma(metric.label)}${inPerCent ? ", %" : ""}`,
    isMetric: true,
    inPerCent,
    valueOf: (row) => {
      const value = pairAt(row, data, metric)?.b ?? null;
      return value === null || !inPerCent ? value : asFraction(value) * 100;
    },
  };
}

/** The columns that a condition may name: first the gains and losses, then the values of B. */
export function filterColumns(data: OverviewData): FilterColumn[] {
  const gainOf = (metrics: readonly Metric[]) => (row: Row) =>
    metrics.map((metric) => row.metrics.get(metric.name)?.gain ?? null).find((gain) => gain !== null) ?? null;
  const plain = { isMetric: false, inPerCent: false };
  const size = data.resources.filter((metric) => metric.name === "model_size_mb");
  const speed = data.resources.filter(isSpeed);
  const others = data.resources.filter((metric) => !size.includes(metric) && !speed.includes(metric));
  return [
    {
      ...plain,
      id: "drop",
      label: data.qualityIsFraction ? "Drop, pp" : "Lost",
      valueOf: (row) => (row.drop === null ? null : row.drop * (data.qualityIsFraction ? 100 : 1)),
    },
    ...(size.length > 0 ? [{ ...plain, id: "ratio", label: "Ratio of size, ×", valueOf: gainOf(size) }] : []),
    ...(speed.length > 0 ? [{ ...plain, id: "speedup", label: "Speedup, ×", valueOf: gainOf(speed) }] : []),
    ...others.map((metric) => ({
      ...plain,
      id: `${metric.name}.gain`,
      label: `Gain of ${metric.label}, ×`,
      valueOf: gainOf([metric]),
    })),
    { ...plain, id: "aurora", label: "AURORA", valueOf: (row) => row.aurora?.score ?? null },
    ...data.axes.map((metric) => metricColumn(data, metric)),
  ];
}

/** Finds the column for a typed name: a column with exactly this name, or a metric whose name or label contains it. */
export function columnNamed(columns: readonly FilterColumn[], typed: string): FilterColumn | undefined {
  const name = typed.toLowerCase();
  const aliases: Record<string, string> = { lost: "drop", loss: "drop", speed: "speedup", compression: "ratio" };
  return (
    columns.find(({ id }) => id === name) ??
    columns.find(({ id, label, isMetric }) => isMetric && (id.includes(name) || label.toLowerCase().includes(name))) ??
    columns.find(({ id }) => id === aliases[name])
  );
}

/** The column names in conditions of the filter that do not exist. No model passes such a condition. */
export function unknownColumns(data: OverviewData, words: string): string[] {
  const columns = filterColumns(data);
  return parseRunFilter(words)
    .conditions.map(({ metric }) => metric)
    .filter((name) => !columnNamed(columns, name));
}

/** A limit in the unit of its column: for an accuracy, 0.7 and 70 are equal. */
const limitIn = (column: FilterColumn | undefined, value: number): number =>
  column?.inPerCent ? asFraction(value) * 100 : value;

/** The rows that pass both the typed filter and the selected rectangle. Conditions on metrics use the values of B. */
export function visibleRows(data: OverviewData, words: string, inside: (row: Row) => boolean): Row[] {
  const columns = filterColumns(data);
  const typed = parseRunFilter(words);
  const found = new Map(typed.conditions.map(({ metric }) => [metric, columnNamed(columns, metric)]));
  const conditions = typed.conditions.map((condition): Condition => ({
    ...condition,
    value: limitIn(found.get(condition.metric), condition.value),
  }));
  const filter = { ...typed, conditions };
  return data.rows.filter(
    (row) => inside(row) && passes(filter, row.name, (name) => found.get(name)?.valueOf(row) ?? null),
  );
}

export interface Limits {
  readonly min: number | null;
  readonly max: number | null;
}

/** The limits of a column in the filter. */
export function limitsOf(columns: readonly FilterColumn[], column: FilterColumn, words: string): Limits {
  const own = parseRunFilter(words).conditions.filter(({ metric }) => columnNamed(columns, metric) === column);
  const last = (operators: readonly string[]): number | null => {
    const value = own.findLast(({ operator }) => operators.includes(operator))?.value;
    return value === undefined ? null : limitIn(column, value);
  };
  return { min: last([">", ">="]), max: last(["<", "<="]) };
}

/** The filter with new limits for a column; null removes a limit. */
export function withLimits(
  columns: readonly FilterColumn[],
  column: FilterColumn,
  words: string,
  { min, max }: Limits,
): string {
  const others = wordsOf(words).filter(
    (word) => !parseRunFilter(word).conditions.some(({ metric }) => columnNamed(columns, metric) === column),
  );
  const text = (value: number): string => String(Number(value.toPrecision(4)));
  return [
    ...others,
    ...(min === null ? [] : [`${column.id}>=${text(min)}`]),
    ...(max === null ? [] : [`${column.id}<=${text(max)}`]),
  ].join(" ");
}
