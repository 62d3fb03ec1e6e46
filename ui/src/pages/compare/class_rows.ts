// The rows of the panel with metrics per class. Pure functions.
import type { ClassesResponse } from "../../api/compression/panels";
import { type WireNumber, toNumber } from "../../api/shape";
import { fixed, percent, plural, significant } from "../../base/text/format";

export interface ClassRow {
  readonly name: string;
  readonly a: string;
  readonly b: string;
  readonly drop: string;
  readonly unit: "pp" | "";
  /** The change divided by the largest change of all classes, -1 to 1; positive is worse. */
  readonly share: number;
}

/** The metric that was logged for the most classes comes first. */
export function metricsOf({ classes }: ClassesResponse): string[] {
  const counts = new Map<string, number>();
  for (const metric of classes.metrics) counts.set(metric, (counts.get(metric) ?? 0) + 1);
  return [...counts].sort((p, q) => q[1] - p[1]).map(([name]) => name);
}

/** The rows of one metric in the server's order: the largest drop first. */
export function readClasses({ classes }: ClassesResponse, metric: string): ClassRow[] {
  const number = (column: readonly WireNumber[], i: number): number | null => {
    const value = column[i];
    return value === null || value === undefined ? null : toNumber(value);
  };
  const rows = classes.metrics.flatMap((name, i) =>
    name === metric
      ? [
          {
            name: classes.names[i] ?? "",
            a: number(classes.a, i),
            b: number(classes.b, i),
            drop: number(classes.drops, i),
          },
        ]
      : [],
  );
  const known = (value: number | null): value is number => value !== null && Number.isFinite(value);
  // Values that are fractions are shown in per cent, and their changes in percentage points.
  const inShares = rows.every(({ a, b }) => [a, b].every((value) => !known(value) || (value >= 0 && value <= 1)));
  const text = (value: number | null): string =>
    value === null ? "–" : inShares ? `${percent(value)} %` : significant(value);
  const most = Math.max(0, ...rows.map(({ drop }) => (known(drop) ? Math.abs(drop) : 0)));
  return rows.map(({ name, a, b, drop }) => ({
    name,
    a: text(a),
    b: text(b),
    drop: drop === null ? "–" : inShares ? fixed(drop * 100, 2) : significant(drop, 3),
    unit: inShares ? "pp" : "",
    share: known(drop) && most > 0 ? drop / most : 0,
  }));
}

/**
 * The summary: "10 classes: 3 get worse, most of all dog by 2.13 pp". A class that is only a number is written as "class
 * 3".
 */
export function summaryOf(rows: readonly ClassRow[]): string {
  const losing = rows.filter(({ share }) => share > 0);
  const [worst] = losing;
  const many = plural(rows.length, "class", "classes");
  if (!worst) return `${many}: no class gets worse`;
  const name = /^\d+$/.test(worst.name) ? `class ${worst.name}` : worst.name;
  const drop = `${worst.drop}${worst.unit ? ` ${worst.unit}` : ""}`;
  return losing.length === 1
    ? `${many}: only ${name} gets worse, by ${drop}`
    : `${many}: ${losing.length} get worse, most of all ${name} by ${drop}`;
}
