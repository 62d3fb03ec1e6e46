import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { exact, significant, steady } from "../../lib/format";
import { setQuery } from "../../state/location";
import type { Column, Trials } from "./data";
import { heatOf } from "./parallel_layout";

const STATUS: Readonly<Record<string, string>> = { success: "verdict good", failure: "verdict bad", running: "mid" };

function Cell({ column, index }: { column: Column; index: number }): JSX.Element {
  const value = column.values[index] ?? null;
  if (value === null) return <td class={column.isNumeric ? "num none" : "none"} title={`${column.label} was not logged for this trial`}>–</td>;
  if (typeof value === "number") return <td class={`num${Number.isFinite(value) ? "" : " bad"}`} title={exact(value)}>{column.isMetric ? steady(value) : significant(value)}</td>;
  return <td title={String(value)}>{String(value)}</td>;
}

export function TrialTable({ trials, columns, sort, hot, colourBy, onOpen }: {
  trials: Trials;
  columns: readonly Column[];
  sort: string | null;
  hot: Signal<number | null>;
  colourBy: Column | undefined;
  onOpen: (index: number) => void;
}): JSX.Element {
  const [most, setMost] = useState(200);
  const heats = heatOf(colourBy);
  const head = (column: Column): JSX.Element => {
    const order = sort === column.id ? "ascending" : sort === `-${column.id}` ? "descending" : undefined;
    // Metrics best first, as far as more is better; the second click turns it around, the third lets go.
    const next = order === undefined ? (column.isMetric ? `-${column.id}` : column.id)
      : (order === "descending") === column.isMetric ? (column.isMetric ? column.id : `-${column.id}`) : null;
    return (
      <th key={column.id} scope="col" class={column.isNumeric ? "num" : ""} aria-sort={order} title={column.description || undefined}>
        <button class="sort" onClick={() => setQuery({ sort: next }, "replace")}>{column.label}{order ? (order === "descending" ? " ↓" : " ↑") : ""}</button>
      </th>
    );
  };
  return (
    <div class="scroll">
      <table class="table trials">
        <caption class="sr">Trials</caption>
        <thead><tr><th scope="col">Trial</th><th scope="col">Ended</th>{columns.map(head)}</tr></thead>
        <tbody>
          {trials.names.slice(0, most).map((name, i) => {
            const title = name || trials.runs[i]?.[0] || "";
            return (
              <tr key={`${name} ${trials.runs[i]?.[0] ?? i}`} class={hot.value === i ? "hot" : ""} tabIndex={0} aria-label={title}
                onPointerEnter={() => (hot.value = i)} onPointerLeave={() => (hot.value = null)} onClick={() => onOpen(i)}
                onKeyDown={(event) => { if (event.key === "Enter") onOpen(i); }}>
                <td title={(trials.runs[i] ?? []).join(", ")}><span class="run-line"><span class={`heat-dot ${heats[i] ?? "heat-none"}`} /><span class="tail"><bdi>{title}</bdi></span>{(trials.runs[i]?.length ?? 0) > 1 && <span class="dim"> × {trials.runs[i]?.length}</span>}</span></td>
                <td><span class={STATUS[trials.statuses[i] ?? ""] ?? "none"}>{trials.statuses[i] === "unknown" ? "–" : trials.statuses[i]}</span></td>
                {columns.map((column) => <Cell key={column.id} column={column} index={i} />)}
              </tr>
            );
          })}
        </tbody>
      </table>
      {trials.names.length === 0 && <p class="panel note">No trial passes the filters. <button class="link" onClick={() => setQuery({ where: null })}>Clear them</button></p>}
      {trials.names.length > most && <button class="link more" onClick={() => setMost(most + 500)}>Show {Math.min(500, trials.names.length - most)} more</button>}
    </div>
  );
}
