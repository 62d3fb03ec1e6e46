import { useComputed, type Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { exact, significant, steady } from "../../base/text/format";
import type { ColumnSpec } from "../../widgets/table/columns";
import { useColumns } from "../../widgets/table/useColumns";
import { useGrowingRows } from "../../widgets/useGrowingRows";
import { setQuery } from "../../base/address";
import { cellText, type Column, type Trials } from "./data";
import { heatOf } from "./parallel_layout";

const STATUS: Readonly<Record<string, string>> = { success: "verdict good", failure: "verdict bad", running: "mid" };

function Cell({ column, index }: { column: Column; index: number }): JSX.Element {
  const value = column.values[index] ?? null;
  if (value === null)
    return (
      <td class={column.isNumeric ? "num none" : "none"} title={`${column.label} was not logged for this trial`}>
        –
      </td>
    );
  if (typeof value === "number")
    return (
      <td class={`num${Number.isFinite(value) ? "" : " bad"}`} title={exact(value)}>
        {column.isMetric ? steady(value) : significant(value)}
      </td>
    );
  return <td title={String(value)}>{String(value)}</td>;
}

/** A column of the table: a setting or a metric, or null for the name and the status of the trial. */
interface TableColumn extends ColumnSpec {
  readonly column: Column | null;
}

const GLYPH = 7.6; // The approximate width of a character, and the padding of a cell with the sort sign, in pixels.
const PADDING = 40;
const [MIN_WIDTH, MAX_WIDTH] = [72, 220];

/** The width that the values need; a name may be up to twice as long as they are before it gets a second line. */
function widthOf(column: Column): number {
  const longest = column.values.reduce<number>((most, value) => Math.max(most, cellText(value).length), 6);
  const letters = Math.max(longest, Math.min(column.label.length, 2 * longest));
  return Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, letters * GLYPH + PADDING)));
}

function tableColumns(columns: readonly Column[]): TableColumn[] {
  return [
    { id: "trial", name: "Trial", width: 150, grows: true, fixed: true, column: null },
    { id: "ended", name: "Ended", width: 100, column: null },
    ...columns.map((column) => ({ id: column.id, name: column.label, width: widthOf(column), column })),
  ];
}

function directionOf(sort: string | null, column: Column): "ascending" | "descending" | undefined {
  return sort === column.id ? "ascending" : sort === `-${column.id}` ? "descending" : undefined;
}

/** A row is a component, so that moving the pointer to another trial renders only two rows and not the whole table. */
function TrialRow({
  trials,
  index,
  columns,
  heat,
  hot,
  onOpen,
}: {
  trials: Trials;
  index: number;
  columns: readonly TableColumn[];
  heat: string;
  hot: Signal<number | null>;
  onOpen: (index: number) => void;
}): JSX.Element {
  const isHot = useComputed(() => hot.value === index);
  const runs = trials.runs[index] ?? [];
  const title = trials.names[index] || runs[0] || "";
  const status = trials.statuses[index] ?? "";
  return (
    <tr
      class={isHot.value ? "hot" : ""}
      tabIndex={0}
      aria-label={title}
      onPointerEnter={() => (hot.value = index)}
      onPointerLeave={() => (hot.value = null)}
      onClick={() => onOpen(index)}
      onKeyDown={(event) => {
        if (event.key === "Enter") onOpen(index);
      }}
    >
      {columns.map(({ id, column }) =>
        column ? (
          <Cell key={id} column={column} index={index} />
        ) : id === "trial" ? (
          <td key={id} title={runs.join(", ")}>
            <span class="run-line">
              <span class={`heat-dot ${heat}`} />
              <span class="tail">
                <bdi>{title}</bdi>
              </span>
              {runs.length > 1 && <span class="dim"> × {runs.length}</span>}
            </span>
          </td>
        ) : (
          <td key={id}>
            <span class={STATUS[status] ?? "none"}>{status === "unknown" ? "–" : status}</span>
          </td>
        ),
      )}
    </tr>
  );
}

export function TrialTable({
  trials,
  columns,
  sort,
  order,
  waits,
  hot,
  colourBy,
  onOpen,
}: {
  trials: Trials;
  columns: readonly Column[];
  /** The requested order: the id of a column, with "-" in front for descending order. */
  sort: string | null;
  /**
   * The current order of the rows, in the format of `sort`: the id of a column, with "-" in front for descending order.
   */
  order: string | null;
  /** Whether the rows for the current request have not arrived yet. */
  waits: boolean;
  hot: Signal<number | null>;
  colourBy: Column | undefined;
  onOpen: (index: number) => void;
}): JSX.Element {
  const rows = useGrowingRows(trials.names.length);
  const heats = heatOf(colourBy);
  const specs = useMemo(() => tableColumns(columns), [columns]);
  const arranged = useColumns(specs, { key: "table" });
  const head = (spec: TableColumn): JSX.Element => {
    const { column } = spec;
    if (!column) return arranged.head(spec, spec.name);
    const [chosen, shown] = [directionOf(sort, column), directionOf(order, column)];
    // The first click on a column sorts metrics in descending order and settings in ascending order. The second click
    // reverses the order, and the third click removes it.
    const next =
      chosen === undefined
        ? column.isMetric
          ? `-${column.id}`
          : column.id
        : (chosen === "descending") === column.isMetric
          ? column.isMetric
            ? column.id
            : `-${column.id}`
          : null;
    return arranged.head(
      spec,
      <button
        class="sort"
        title={[column.label, column.description].filter(Boolean).join(": ")}
        onClick={() => setQuery({ sort: next }, "replace")}
      >
        {column.label}
        {shown ? (shown === "descending" ? " ↓" : " ↑") : ""}
      </button>,
      { class: column.isNumeric ? "num" : "", ...(shown ? { "aria-sort": shown } : {}) },
    );
  };
  return (
    <div class="scroll">
      <table class={`table arranged trials${waits ? " stale" : ""}`} style={arranged.style} aria-busy={waits}>
        <caption class="sr">Trials</caption>
        {arranged.colgroup}
        <thead>
          <tr>{arranged.shown.map(head)}</tr>
        </thead>
        <tbody>
          {trials.names.slice(0, rows.shown).map((name, i) => (
            <TrialRow
              key={`${name} ${trials.runs[i]?.[0] ?? i}`}
              trials={trials}
              index={i}
              columns={arranged.shown}
              heat={heats[i] ?? "heat-none"}
              hot={hot}
              onOpen={onOpen}
            />
          ))}
        </tbody>
      </table>
      {trials.names.length === 0 && (
        <p class="panel note">
          No trial passes the filters.{" "}
          <button class="link" onClick={() => setQuery({ where: null })}>
            Clear them
          </button>
        </p>
      )}
      {trials.names.length > rows.shown && (
        <button ref={rows.end} class="link more" onClick={rows.more}>
          Show more ({trials.names.length} trials in total)
        </button>
      )}
    </div>
  );
}
