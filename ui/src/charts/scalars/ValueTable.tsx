// The chart as a table: the same lines as rows, with their values at the end or at a marked place.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Line } from "../line/layout";
import { exact, significant, steadyColumn } from "../../base/text/format";
import { titles } from "../../domain/runs/run_titles";
import { shownNames } from "./lines";
import { RunKey } from "../../domain/runs/RunKey";
import { cellOf, sortedRows, valueRows, type SortKey } from "./value_rows";

const DIGITS = 5;

interface Column {
  readonly key: SortKey;
  readonly text: string;
}

function columnsOf(fobs: readonly number[], smooth: boolean, xName: string): Column[] {
  if (fobs.length > 1) {
    return [
      { key: "start", text: "Start" },
      { key: "end", text: "End" },
      { key: "change", text: "Change" },
      { key: "least", text: "Min" },
      { key: "greatest", text: "Max" },
    ];
  }
  return [
    { key: "value", text: smooth ? "Smoothed" : "Value" },
    ...(smooth ? [{ key: "raw", text: "Value" } as const] : []),
    { key: "x", text: xName },
  ];
}

export function ValueTable({
  label,
  lines,
  fobs,
  xName,
  xText,
  full,
  nameOf,
}: {
  label: string;
  lines: readonly Line[];
  fobs: readonly number[];
  xName: string;
  xText: (x: number) => string;
  /** Whether the table replaces the chart. It then has the height of the chart. */
  full: boolean;
  /** The displayed name of a run. */
  nameOf: (name: string) => string;
}): JSX.Element {
  const [sort, setSort] = useState<{ key: SortKey; descending: boolean } | null>(null);
  const names = useMemo(
    () => new Map(shownNames(lines).map((short, i) => [lines[i]!.name, nameOf(short)])),
    [lines, titles.value],
  );
  const rows = sortedRows(valueRows(lines, fobs), sort?.key ?? null, sort?.descending ?? false);
  // Below a chart, the x of the values is not repeated, because the mark in the chart shows it.
  const marked = !full && fobs.length === 1 && rows.every(({ x }) => x === fobs[0]);
  const columns = columnsOf(
    fobs,
    lines.some((line) => line.smooth !== null),
    xName,
  ).filter(({ key }) => key !== "x" || !marked);
  const texts = new Map(
    columns.map(({ key }) => [
      key,
      steadyColumn(
        rows.map((row) => Number(cellOf(row, key))),
        DIGITS,
      ),
    ]),
  );
  const head = ({ key, text }: Column, numeric: boolean): JSX.Element => (
    <th
      key={key}
      scope="col"
      class={numeric ? "num" : ""}
      aria-sort={sort?.key !== key ? undefined : sort.descending ? "descending" : "ascending"}
    >
      <button class="sort" onClick={() => setSort({ key, descending: sort?.key === key ? !sort.descending : numeric })}>
        {text}
        {sort?.key === key ? (sort.descending ? " ↓" : " ↑") : ""}
      </button>
    </th>
  );
  return (
    <div class={full ? "value-table full" : "value-table"} tabIndex={0} role="region" aria-label={`Values of ${label}`}>
      <table class="table">
        <thead>
          <tr>
            {head({ key: "name", text: "Run" }, false)}
            {columns.map((column) => head(column, true))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.line.name}>
              <td title={row.line.name}>
                <span class="run-line">
                  <RunKey run={row.line.name} {...(row.line.look ? { look: row.line.look } : {})} />{" "}
                  <span>{names.get(row.line.name)}</span>
                </span>
              </td>
              {columns.map(({ key }) => {
                const value = Number(cellOf(row, key));
                if (key === "x")
                  return (
                    <td key={key} class="num">
                      {xText(value) || significant(value)}
                    </td>
                  );
                const sign = key === "change" && value > 0 ? "+" : "";
                return (
                  <td key={key} class={Number.isFinite(value) ? "num" : "num bad"} title={exact(value)}>
                    {sign}
                    {texts.get(key)?.(value)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
