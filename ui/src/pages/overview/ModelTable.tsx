import { useComputed, type Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Metric } from "../../api/compression/table";
import { shortVerdict, toneOfVerdict } from "../../api/compression/summary";
import { asFraction } from "../../domain/models/gates";
import { flatTag } from "../../domain/models/flat_tags";
import { alignedColumn, exact, fixed, percent, ratio, significant, withComma } from "../../base/text/format";
import { useSize } from "../../base/dom/useSize";
import { Breakable } from "../../widgets/Breakable";
import type { ColumnSpec } from "../../widgets/table/columns";
import { useColumns } from "../../widgets/table/useColumns";
import { DERIVED, DerivedMark } from "../../domain/models/DerivedMark";
import { useGrowingRows } from "../../widgets/useGrowingRows";
import { useKeys } from "../../base/keys";
import { query, setQuery } from "../../base/address";
import { MAX_IN_RADAR } from "./radar_layout";
import { RangeFilters } from "./RangeFilters";
import { filterColumns, unknownColumns } from "./row_filter";
import { pairAt, sortRows, type OverviewData, type PairValue, type Row } from "./rows";

interface Column extends ColumnSpec {
  readonly head: JSX.Element | string;
  readonly numeric: boolean;
  readonly key: (row: Row) => number | string | null;
  readonly cell: (row: Row) => JSX.Element | string;
}

const NO_PAIR: PairValue = { a: null, b: null, gain: null };

function Pair({ a, b, width }: { a: JSX.Element | string; b: JSX.Element | string; width: number }): JSX.Element {
  return (
    <span class="ab" style={{ width: `${width}px` }}>
      <span class="mid">{a}</span>
      <i>→</i>
      <span>{b}</span>
    </span>
  );
}

/** Formats the numbers of a metric with aligned decimal points; the tooltip shows all digits. */
function placedOf(data: OverviewData, metric: Metric): (value: number) => JSX.Element {
  const aligned = alignedColumn(
    data.rows.flatMap((row) => {
      const { a, b } = pairAt(row, data, metric) ?? NO_PAIR;
      return [a ?? NaN, b ?? NaN];
    }),
  );
  return (value) => {
    const { text, room } = aligned(value);
    return (
      <span title={exact(value)} style={{ paddingRight: `${room}ch` }}>
        {text}
      </span>
    );
  };
}

function PairHead({ label }: { label: string }): JSX.Element {
  return (
    <>
      {label} <span class="in-a">●</span> → <span class="in-b">◆</span>
    </>
  );
}

function NotLogged({
  model,
  metric,
  side,
  text,
}: {
  model: string;
  metric: Metric;
  side: string;
  text: string;
}): JSX.Element {
  return (
    <span class="none" title={`not logged: ${flatTag(model, metric.name, side)}`}>
      {text}
    </span>
  );
}

const BEST_FIRST = ["pass", "watch", "incomplete", "not_checked", "fail"];

function DropCell({
  drop,
  most,
  failing,
  isFraction,
}: {
  drop: number;
  most: number;
  failing: boolean;
  isFraction: boolean;
}): JSX.Element {
  const length = most > 0 ? Math.min(24, (Math.abs(drop) / most) * 24) : 0;
  return (
    <span class="delta">
      <svg width="49" height="12" aria-hidden="true">
        <path d="M24.5 0V12" class="zero" />
        <rect
          x={drop > 0 ? 25 : 24 - length}
          y="3"
          width={length.toFixed(1)}
          height="6"
          class={failing ? "fill-bad" : "fill-ink"}
        />
      </svg>
      <span class="drop">{isFraction ? fixed(drop * 100, 2) : significant(drop, 3)}</span>
    </span>
  );
}

const LONG_NAME = 22; // Longer names of models wrap.

// The approximate width of the columns of one resource, and of all columns that are always shown.
const RESOURCE_WIDTH = 208;
const OTHER_WIDTH = 680;

/** The number of resources for which there is space beside the columns that are always shown. */
const fitting = (width: number): number => Math.max(1, Math.floor((width - OTHER_WIDTH) / RESOURCE_WIDTH));

function gainName(metric: Metric): string {
  if (metric.name === "model_size_mb") return "Ratio";
  return metric.name === "latency_mean_ms" || metric.name === "throughput" ? "Speedup" : "Gain";
}

function columnsOf(data: OverviewData, width: number, a: string, b: string): Column[] {
  const shownResources = fitting(width);
  const { quality, qualityIsFraction } = data;
  const show = (v: number): string => (qualityIsFraction ? percent(asFraction(v)) : significant(v));
  const most = Math.max(0, ...data.rows.map((row) => Math.abs(row.drop ?? 0)).filter(Number.isFinite));
  const pairCell =
    (metric: Metric, text: (v: number) => JSX.Element | string, width: number) =>
    (row: Row): JSX.Element => {
      const pair = pairAt(row, data, metric) ?? NO_PAIR;
      if (pair.a === null && pair.b === null)
        return <NotLogged model={row.model.plainName} metric={metric} side={b} text="not logged" />;
      const side = (value: number | null, name: string): JSX.Element | string =>
        value === null ? <NotLogged model={row.model.plainName} metric={metric} side={name} text="–" /> : text(value);
      return (
        <>
          <Pair a={side(pair.a, a)} b={side(pair.b, b)} width={width} />
          {pair.derived && <DerivedMark />}
        </>
      );
    };
  return [
    {
      id: "model",
      name: "Model",
      width: 200,
      fixed: true,
      head: "Model",
      numeric: false,
      key: (row) => row.name,
      cell: (row) => (
        <span class={row.name.length > LONG_NAME ? "model-name long" : "model-name"} title={row.name}>
          <Breakable name={row.name} />
        </span>
      ),
    },
    {
      id: "gates",
      name: "Verdict",
      width: 240,
      head: "Verdict",
      numeric: false,
      key: (row) => BEST_FIRST.indexOf(row.verdict.state),
      cell: (row) => (
        <span class={`verdict ${toneOfVerdict(row.verdict.state)} gate-text`} title={row.verdict.text}>
          {shortVerdict(row.verdict)}
        </span>
      ),
    },
    {
      id: "quality",
      name: quality.label,
      width: 150,
      head: <PairHead label={`${quality.label}${qualityIsFraction ? ", %" : ""}`} />,
      numeric: true,
      key: (row) => row.quality.b,
      cell: pairCell(quality, show, 96),
    },
    {
      id: "drop",
      name: qualityIsFraction ? "Drop" : "Lost",
      width: 120,
      head: qualityIsFraction ? "Drop, pp" : "Lost",
      numeric: true,
      key: (row) => row.drop,
      cell: (row) =>
        row.drop === null ? (
          <span class="none">–</span>
        ) : (
          <DropCell
            drop={row.drop}
            most={most}
            isFraction={qualityIsFraction}
            failing={row.verdict.fails.some((f) => f.startsWith("drop"))}
          />
        ),
    },
    ...data.resources.flatMap((metric, i): Column[] => [
      {
        id: metric.name,
        name: withComma(metric.label),
        width: 176,
        hidden: i >= shownResources,
        head: <PairHead label={withComma(metric.label)} />,
        numeric: true,
        key: (row) => row.metrics.get(metric.name)?.b ?? null,
        cell: pairCell(metric, placedOf(data, metric), 128),
      },
      {
        id: `${metric.name}.gain`,
        name: `${gainName(metric)} of ${metric.label}`,
        width: 80,
        hidden: i >= shownResources,
        head: gainName(metric),
        numeric: true,
        key: (row) => row.metrics.get(metric.name)?.gain ?? null,
        cell: (row) => {
          const times = row.metrics.get(metric.name)?.gain;
          return times == null ? (
            <span class="none">–</span>
          ) : (
            <span class={times < 1 ? "bad" : ""}>
              {ratio(times)}
              {row.metrics.get(metric.name)?.derived && <DerivedMark />}
            </span>
          );
        },
      },
    ]),
    {
      id: "aurora",
      name: "AURORA",
      width: 80,
      head: "AURORA",
      numeric: true,
      key: (row) => row.aurora?.score ?? null,
      cell: (row) =>
        row.aurora?.score != null ? (
          <span title={`${row.aurora.kind}, coverage ${fixed(row.aurora.coverage, 2)}`}>
            {fixed(row.aurora.score, 2)}
          </span>
        ) : (
          <span class="none" title={row.aurora?.reason ?? "no score was logged or could be computed"}>
            –
          </span>
        ),
    },
  ];
}

/** A row is a component, so that pointing at another model renders two rows and not the whole table. */
function ModelRow({
  row,
  columns,
  isTicked,
  hot,
  onTick,
  onOpen,
}: {
  row: Row;
  columns: readonly Column[];
  isTicked: boolean;
  hot: Signal<string | null>;
  onTick: (name: string) => void;
  onOpen: (name: string) => void;
}): JSX.Element {
  const isHot = useComputed(() => hot.value === row.name);
  return (
    <tr
      class={`${isHot.value ? "hot" : ""}${isTicked ? " ticked" : ""}`}
      data-model={row.name}
      tabIndex={0}
      aria-label={row.name}
      onPointerEnter={() => (hot.value = row.name)}
      onPointerLeave={() => (hot.value = null)}
      onMouseDown={(event) => {
        if (event.shiftKey) event.preventDefault(); /** A click ticks the row; it must not select text. */
      }}
      onClick={(event) => (event.shiftKey ? onTick(row.name) : onOpen(row.name))}
      onKeyDown={(event) => {
        if (event.key === "Enter" && event.target === event.currentTarget) onOpen(row.name);
      }}
    >
      <td class="tick-cell" onClick={(event) => event.stopPropagation()}>
        <input
          type="checkbox"
          aria-label={`Compare ${row.name} with others`}
          checked={isTicked}
          onChange={() => onTick(row.name)}
        />
      </td>
      {columns.map((c) => (
        <td key={c.id} class={c.numeric ? "num" : ""}>
          {c.cell(row)}
        </td>
      ))}
    </tr>
  );
}

export function ModelTable({
  data,
  rows: passing,
  ticked,
  onTick,
  a,
  b,
  sort,
  onSort,
  hot,
  onOpen,
  onCsv,
}: {
  data: OverviewData;
  rows: readonly Row[];
  /** The names of models whose rows come first. */
  ticked: readonly string[];
  onTick: (name: string) => void;
  a: string;
  b: string;
  sort: string;
  onSort: (sort: string) => void;
  hot: Signal<string | null>;
  onOpen: (name: string) => void;
  onCsv: () => void;
}): JSX.Element {
  const { ref, width } = useSize<HTMLDivElement>();
  const body = useRef<HTMLTableSectionElement>(null);
  const filter = useRef<HTMLInputElement>(null);
  const move = (by: number) => (): void => {
    const all = [...(body.current?.rows ?? [])];
    const at = all.findIndex((row) => row === document.activeElement);
    all[at < 0 ? 0 : Math.max(0, Math.min(all.length - 1, at + by))]?.focus();
  };
  useKeys([
    { key: "j", does: "Next model", run: move(1) },
    { key: "k", does: "Previous model", run: move(-1) },
    { key: "f", does: "Filter models", run: () => filter.current?.focus() },
    {
      key: "m",
      does: "Tick the model to compare it with others",
      run: () => {
        const name = document.activeElement?.getAttribute("data-model");
        if (name) onTick(name);
      },
    },
  ]);
  const all = columnsOf(data, width, a, b);
  const arranged = useColumns(all, { lead: 1, auto: true });
  const columns = arranged.shown;
  const descending = sort.startsWith("-");
  const column = all.find((c) => c.id === sort.replace("-", "")) ?? all[0]!;
  const sorted = sortRows(passing, column.key, descending);
  const first = new Set(ticked);
  const rows =
    first.size === 0
      ? sorted
      : [...sorted.filter((row) => first.has(row.name)), ...sorted.filter((row) => !first.has(row.name))];
  const growing = useGrowingRows(rows.length);
  // The table header sticks to the top of the page, but only if the table does not scroll horizontally.
  const [fits, setFits] = useState(true);
  useLayoutEffect(() => {
    const box = ref.current;
    if (box) setFits(box.querySelector("table")!.offsetWidth <= box.clientWidth);
  }, [width, columns.length, rows]);
  const words = query.value.get("find") ?? "";
  const unknown = unknownColumns(data, words);
  return (
    <section class="models-part" aria-label="Models">
      <div class="panel-head models-head">
        <h2>Models</h2>
        <span class="note">
          {rows.length < data.rows.length ? `${rows.length} of ${data.rows.length}` : rows.length}
        </span>
        {ticked.length === 0 && (
          <span class="note hint">tick or shift-click up to {MAX_IN_RADAR} models to compare them</span>
        )}
        {rows.length < data.rows.length && (
          <button class="link" onClick={() => setQuery({ find: null, brush: null, diff: null })}>
            Show all
          </button>
        )}
        <input
          ref={filter}
          class="field push"
          type="search"
          aria-label="Filter models"
          placeholder="Filter models: resnet drop<1"
          value={words}
          onInput={(event) => setQuery({ find: event.currentTarget.value }, "replace")}
        />
        <RangeFilters data={data} words={words} onWords={(find) => setQuery({ find }, "replace")} />
        {arranged.menu}
        <label class="tick only-differences" title={`Hide models whose metrics are equal in ${a} and ${b}`}>
          <input
            type="checkbox"
            checked={query.value.has("diff")}
            onChange={(event) => setQuery({ diff: event.currentTarget.checked ? "1" : null }, "replace")}
          />
          Only differences
        </label>
        <button class="link" onClick={onCsv}>
          CSV
        </button>
      </div>
      <div class={`scroll${fits ? " fits" : " scroll-x"}`} ref={ref}>
        <table class="table models">
          <caption class="sr">Models, sorted by {column.id}</caption>
          {arranged.colgroup}
          <thead>
            <tr>
              <th scope="col" class="tick-cell">
                <span class="sr">Ticked</span>
              </th>
              {columns.map((c) =>
                arranged.head(
                  c,
                  <button
                    class="sort"
                    onClick={() =>
                      onSort(
                        c === column && !descending ? `-${c.id}` : c === column ? c.id : c.numeric ? `-${c.id}` : c.id,
                      )
                    }
                  >
                    {c.head}
                    {c === column ? (descending ? " ↓" : " ↑") : ""}
                  </button>,
                  {
                    class: c.numeric ? "num" : "",
                    ...(c === column ? { "aria-sort": descending ? "descending" : "ascending" } : {}),
                  },
                ),
              )}
            </tr>
          </thead>
          <tbody ref={body}>
            {rows.slice(0, growing.shown).map((row) => (
              <ModelRow
                key={row.name}
                row={row}
                columns={columns}
                isTicked={first.has(row.name)}
                hot={hot}
                onTick={onTick}
                onOpen={onOpen}
              />
            ))}
          </tbody>
        </table>
        {rows.some((row) =>
          data.resources.some((m) => columns.some((c) => c.id.startsWith(m.name)) && row.metrics.get(m.name)?.derived),
        ) && <p class="note">† {DERIVED}</p>}
        {rows.length > growing.shown && (
          <button ref={growing.end} class="link more" onClick={growing.more}>
            Show more ({rows.length} models in total)
          </button>
        )}
        {rows.length === 0 && (
          <p class="panel note">
            {unknown.length > 0
              ? `${unknown.join(", ")} is no column here; there are ${filterColumns(data)
                  .map(({ id }) => id)
                  .join(", ")}.`
              : "No model passes the filters."}{" "}
            <button class="link" onClick={() => setQuery({ find: null, brush: null, diff: null })}>
              Clear them
            </button>
          </p>
        )}
      </div>
    </section>
  );
}
