import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { significant } from "../../base/text/format";
import { extent } from "../../base/math/scale";
import { Breakable } from "../../widgets/Breakable";
import { levelsOf, shownLevels, type Column, type Filter, type Filters } from "./data";

const MAX_LEVELS = 12;

function Range({
  column,
  filter,
  onFilter,
}: {
  column: Column;
  filter: Filter | undefined;
  onFilter: (filter: Filter | null) => void;
}): JSX.Element {
  const range = extent(column.values.filter((v) => typeof v === "number")) ?? [0, 0];
  const [min, max] = filter && "min" in filter ? [filter.min, filter.max] : [-Infinity, Infinity];
  const change = (end: "min" | "max", text: string): void => {
    const value = text === "" ? (end === "min" ? -Infinity : Infinity) : Number(text);
    if (Number.isNaN(value)) return;
    const next = { min, max, [end]: value };
    onFilter(Number.isFinite(next.min) || Number.isFinite(next.max) ? next : null);
  };
  const shown = (v: number): string => (Number.isFinite(v) ? String(v) : "");
  return (
    <span class="range">
      <input
        class="field"
        type="number"
        step="any"
        aria-label={`Min ${column.label}`}
        placeholder={significant(range[0], 3)}
        value={shown(min)}
        onChange={(event) => change("min", event.currentTarget.value)}
      />
      <span class="dim">to</span>
      <input
        class="field"
        type="number"
        step="any"
        aria-label={`Max ${column.label}`}
        placeholder={significant(range[1], 3)}
        value={shown(max)}
        onChange={(event) => change("max", event.currentTarget.value)}
      />
    </span>
  );
}

function Levels({
  column,
  filter,
  onFilter,
}: {
  column: Column;
  filter: Filter | undefined;
  onFilter: (filter: Filter | null) => void;
}): JSX.Element {
  const values = levelsOf(column);
  const levels = values.map(String);
  const texts = shownLevels(values);
  const kept = new Set(filter && "values" in filter ? filter.values : levels);
  const toggle = (level: string): void => {
    const next = levels.filter((l) => (l === level ? !kept.has(l) : kept.has(l)));
    onFilter(next.length === levels.length ? null : { values: next });
  };
  return (
    <>
      {levels.slice(0, MAX_LEVELS).map((level, i) => (
        <label key={level} class="tick">
          <input type="checkbox" checked={kept.has(level)} onChange={() => toggle(level)} />
          <span class="whole-name">
            <Breakable name={texts[i] ?? level} />
          </span>
        </label>
      ))}
      {levels.length > MAX_LEVELS && (
        <span class="note">and {levels.length - MAX_LEVELS} more values; select them in the chart</span>
      )}
    </>
  );
}

/** One filter per column with at least two values; on narrow screens the filters are behind a button. */
export function FilterList({
  columns,
  filters,
  onFilter,
}: {
  columns: readonly Column[];
  filters: Filters;
  onFilter: (id: string, filter: Filter | null) => void;
}): JSX.Element {
  const [open, setOpen] = useState(false);
  return (
    <aside class={`filters${open ? " open" : ""}`} aria-label="Filters">
      <button class="filters-toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span class="caret" aria-hidden="true">
          {open ? "▾" : "▸"}
        </span>
        <b>Filters</b>
        <span class="dim">{filters.size === 0 ? "none set" : `${filters.size} set`}</span>
      </button>
      {columns
        .filter((column) => levelsOf(column).length > 1 || filters.has(column.id))
        .map((column) => {
          const asLevels = !column.isNumeric || (!column.isMetric && levelsOf(column).length <= 8);
          const props = {
            column,
            filter: filters.get(column.id),
            onFilter: (filter: Filter | null) => onFilter(column.id, filter),
          };
          return (
            <fieldset key={column.id}>
              <legend title={column.description || column.label}>
                {column.label}
                {column.isMetric ? <span class="dim"> metric</span> : ""}
              </legend>
              {asLevels ? <Levels {...props} /> : <Range {...props} />}
            </fieldset>
          );
        })}
    </aside>
  );
}
