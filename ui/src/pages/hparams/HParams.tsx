// Trials with their hyperparameters and metrics: as lines over parallel axes, as points in a scatter plot, and as rows
// of a table.
import { hparamsShape } from "../../api/hparams";
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { postJson } from "../../api/client";
import { csvOf, saveAs } from "../../base/text/csv";
import { plural } from "../../base/text/format";
import { literally } from "../../base/text/matching";
import { saveSvg, standaloneSvg } from "../../base/dom/svg_file";
import { CheckMenu } from "../../widgets/CheckMenu";
import { EmptyPage } from "../../domain/live/EmptyPage";
import { Snippet } from "../../domain/live/Snippet";
import { Menu } from "../../widgets/Menu";
import { go, hrefOf, listOf, listText, query, setQuery } from "../../base/address";
import { useResource } from "../../domain/live/resource";
import {
  axesOf,
  filtersText,
  questionOf,
  readFilters,
  inOrderOfNames,
  readTrials,
  usualMetric,
  usualPartner,
  type Column,
  type Filter,
  type Filters,
  type Trials,
} from "./data";
import { FilterList } from "./FilterList";
import { HeatScale } from "./HeatScale";
import { ImportanceList } from "./ImportanceList";
import { ParallelChart } from "./ParallelChart";
import { ScatterChart } from "./ScatterChart";
import { ScatterMatrix } from "./ScatterMatrix";
import { TrialTable } from "./TrialTable";
import "./hparams.css";

// The maximum number of trials that are drawn, because more lines cannot be distinguished. Filters show further trials.
const MAX_TRIALS = 2000;
const MAX_AXES = 10;

const PLOTS = [
  { id: "parallel", text: "Parallel", title: "Parallel coordinates: each trial is a line" },
  { id: "scatter", text: "Scatter", title: "Scatter plot: each trial is a point" },
  { id: "matrix", text: "Matrix", title: "Scatter plots of every column against every metric" },
  { id: "importance", text: "Importance", title: "How much of a metric's variance each setting explains" },
] as const;

/** The shown columns in the order that the user has chosen. Without a choice, all columns whose values differ. */
function shownColumns(all: readonly Column[]): Column[] {
  const asked = query.value.get("cols");
  const shown =
    asked === null ? all.filter((column) => column.varies) : all.filter((column) => listOf(asked).includes(column.id));
  const order = listOf(query.value.get("order"));
  const place = (column: Column, i: number): number =>
    order.includes(column.id) ? order.indexOf(column.id) : order.length + i;
  return shown
    .map((column, i) => ({ column, at: place(column, i) }))
    .sort((p, q) => p.at - q.at)
    .map(({ column }) => column);
}

function toggled(key: string, id: string): void {
  const set = new Set(listOf(query.value.get(key)));
  if (!set.delete(id)) set.add(id);
  setQuery({ [key]: listText([...set]) }, "replace");
}

function saveCsv(trials: Trials, columns: readonly Column[]): void {
  const rows = trials.names.map((name, i) => [
    name,
    ...columns.map((column) => {
      const value = column.values[i] ?? null;
      return typeof value === "boolean" ? String(value) : value;
    }),
  ]);
  saveAs("hparams.csv", csvOf(["trial", ...columns.map((column) => column.label)], rows), "text/csv");
}

/** The metric that colours the trials is always one of the axes. */
function withFirst(columns: readonly Column[], first: Column | undefined): Column[] {
  return [...columns].sort((p, q) => Number(q.id === first?.id) - Number(p.id === first?.id));
}

function setFilter(filters: Filters, id: string, filter: Filter | null): void {
  const next = new Map(filters);
  if (filter) next.set(id, filter);
  else next.delete(id);
  setQuery({ where: filtersText(next) }, "replace");
}

export default function HParams(): JSX.Element {
  const hot = useSignal<number | null>(null);
  const drawing = useRef<HTMLElement>(null);
  // All trials without filters, so that the values to choose from do not change when a filter is set.
  const whole = useResource("hparams", (signal) => postJson(hparamsShape, "hparams", { limit: MAX_TRIALS }, signal));
  const all = useMemo(
    () => (whole.state.value.data ? inOrderOfNames(readTrials(whole.state.value.data)) : null),
    [whole.state.value.data],
  );
  const filters = useMemo(() => readFilters(query.value.get("where")), [query.value.get("where")]);
  const sort = query.value.get("sort");
  const known = useMemo(() => new Map(all?.columns.map((column) => [column.id, column]) ?? []), [all]);
  const asks = all !== null && (filters.size > 0 || sort !== null);
  const request = asks ? JSON.stringify(questionOf(filters, sort, known, MAX_TRIALS)) : null;
  const chosen = useResource(request ?? "", async (signal) => {
    if (request === null) return null;
    const response = await postJson(hparamsShape, "hparams", JSON.parse(request), signal);
    const trials = readTrials(response);
    return { request, sort, trials: sort === null ? inOrderOfNames(trials) : trials };
  });
  // Until the response to the current request arrives, the table shows the previous rows and their order.
  const arrived = asks ? chosen.state.value.data : null;
  const trials = arrived?.trials ?? all;
  const waits = asks && arrived?.request !== request && (chosen.state.value.stale || !chosen.state.value.error);
  const [colsText, orderText, flipText, logText] = ["cols", "order", "flip", "log"].map((key) => query.value.get(key));
  const columns = useMemo(() => {
    const wanted = all ? shownColumns(all.columns).map((column) => column.id) : [];
    const byId = new Map(trials?.columns.map((column) => [column.id, column]) ?? []);
    return wanted.flatMap((id) => byId.get(id) ?? []);
  }, [all, trials, colsText, orderText]);
  const view = useMemo(
    () => ({ flip: new Set(listOf(flipText ?? null)), log: new Set(listOf(logText ?? null)) }),
    [flipText, logText],
  );

  const error = whole.state.value.error;
  if (error && !all)
    return (
      <p class="trouble" role="alert">
        {error.message}{" "}
        <button class="link" onClick={whole.retry}>
          Try again
        </button>
      </p>
    );
  if (!all || !trials) return <div class="view" aria-busy="true" />;
  if (all.total === 0) return <Empty problems={whole.state.value.data?.problems ?? []} />;

  const metrics = all.columns.filter((column) => column.isMetric);
  const colourId = query.value.get("colour") ?? usualMetric(all.columns)?.id;
  const colourBy = trials.columns.find((column) => column.id === colourId);
  const axes = axesOf(columns, MAX_AXES);
  const plot = PLOTS.find(({ id }) => id === query.value.get("plot"))?.id ?? "parallel";
  const scatter = plot === "scatter";
  const columnOf = (key: string): Column | undefined =>
    trials.columns.find((column) => column.id === query.value.get(key));
  const yColumn = columnOf("y") ?? colourBy ?? columns[0];
  const xColumn = columnOf("x") ?? (yColumn && usualPartner(trials.columns, yColumn)) ?? columns[0];
  const pickColumn = (key: "x" | "y", chosen: Column | undefined): JSX.Element => (
    <Menu
      label={`${key} ${chosen?.label ?? ""}`}
      value={chosen?.id ?? ""}
      choices={all.columns.map((column) => ({ value: column.id, text: column.label }))}
      onPick={(id) => setQuery({ [key]: id }, "replace")}
    >
      <span class="dim">{key}</span> {chosen?.label ?? "none"}
    </Menu>
  );
  const open = (index: number): void => {
    const runs = (trials.runs[index] ?? []).map(literally);
    go(hrefOf(["scalars"], { runs: `^(${runs.join("|")})(/|$)` }));
  };
  const move = (id: string, by: number): void => {
    const ids = columns.map((column) => column.id);
    const at = ids.indexOf(id);
    const other = ids[at + by];
    if (other === undefined) return;
    ids[at + by] = id;
    ids[at] = other;
    setQuery({ order: listText(ids) }, "replace");
  };
  return (
    <div class="view hparams">
      <FilterList columns={all.columns} filters={filters} onFilter={(id, filter) => setFilter(filters, id, filter)} />
      <div class="main-column">
        <div class="page-bar">
          <h1>HParams</h1>
          <span class="note">
            {trials.total < all.total ? `${trials.total} of ` : ""}
            {plural(all.total, "trial")}
            {trials.total > MAX_TRIALS ? `, the first ${MAX_TRIALS} shown` : ""}
          </span>
          {filters.size > 0 && (
            <button class="link" onClick={() => setQuery({ where: null })}>
              Clear the filters
            </button>
          )}
          <span class="push label">
            {metrics.length > 0 && (
              <Menu
                label={`Colour ${metrics.find((m) => m.id === colourId)?.label ?? ""}`}
                value={colourId ?? ""}
                choices={metrics.map((m) => ({ value: m.id, text: m.label }))}
                onPick={(id) => setQuery({ colour: id }, "replace")}
              >
                <span class="dim colour-word">Colour</span> {metrics.find((m) => m.id === colourId)?.label}
              </Menu>
            )}
            <HeatScale of={colourBy} />
            <CheckMenu
              label="Columns"
              choices={all.columns.map((c) => ({
                value: c.id,
                text: c.varies ? c.label : `${c.label} (all the same)`,
              }))}
              chosen={new Set(columns.map((c) => c.id))}
              onChange={(set) => setQuery({ cols: set.size > 0 ? listText([...set]) : "none" }, "replace")}
            >
              Columns
            </CheckMenu>
          </span>
        </div>
        {chosen.state.value.error && (
          <p class="trouble" role="alert">
            {chosen.state.value.error.message}
          </p>
        )}
        <section class="panel" aria-labelledby="parallel-title" ref={drawing}>
          <div class="panel-head">
            <h2 id="parallel-title">{PLOTS.find(({ id }) => id === plot)?.title}</h2>
            <span class="seg" role="group" aria-label="Chart">
              {PLOTS.map(({ id, text }) => (
                <button
                  key={id}
                  aria-pressed={id === plot}
                  onClick={() => setQuery({ plot: id === "parallel" ? null : id })}
                >
                  {text}
                </button>
              ))}
            </span>
            {plot === "importance" ? (
              <span class="note">for {colourBy?.label ?? "no metric"}, the metric that colours the trials</span>
            ) : scatter ? (
              <>
                {pickColumn("x", xColumn)}
                {pickColumn("y", yColumn)}
              </>
            ) : plot === "matrix" ? (
              <span class="note">
                click a chart to open it
                {columns.length > axes.length ? `; ${axes.length} of ${columns.length} columns` : ""}
              </span>
            ) : (
              <span class="note">
                drag along an axis to filter trials by its values
                {columns.length > axes.length ? `; ${axes.length} of ${columns.length} columns` : ""}
              </span>
            )}
            <span class="tool-group push">
              {plot !== "importance" && (
                <button
                  class="link"
                  onClick={() => {
                    const svg = drawing.current?.querySelector("svg");
                    if (svg) saveSvg("hparams", standaloneSvg(svg, "Hyperparameters and metrics"));
                  }}
                >
                  SVG
                </button>
              )}
              <button class="link" onClick={() => saveCsv(trials, columns)}>
                CSV
              </button>
            </span>
          </div>
          {plot === "importance" ? (
            colourBy ? (
              <ImportanceList
                trials={trials}
                metric={colourBy}
                onPick={(column) => setQuery({ plot: "scatter", x: column.id, y: colourBy.id })}
              />
            ) : (
              <p class="note">No metric was logged with these trials.</p>
            )
          ) : scatter && xColumn && yColumn ? (
            <ScatterChart
              trials={trials}
              x={xColumn}
              y={yColumn}
              colourBy={colourBy}
              view={view}
              hot={hot}
              onOpen={open}
            />
          ) : plot === "matrix" && axes.length > 0 ? (
            <ScatterMatrix
              trials={trials}
              axes={axes}
              colourBy={colourBy}
              view={view}
              onPick={(x, y) => setQuery({ plot: "scatter", x: x.id, y: y.id })}
            />
          ) : axes.length > 0 ? (
            <ParallelChart
              trials={trials}
              columns={axes}
              colourBy={colourBy}
              filters={filters}
              view={view}
              hot={hot}
              onFilter={(id, filter) => setFilter(filters, id, filter)}
              onFlip={(id) => toggled("flip", id)}
              onLog={(id) => toggled("log", id)}
              onMove={move}
              onOpen={open}
            />
          ) : (
            <p class="note">No column is chosen, or no value differs between the trials.</p>
          )}
        </section>
        <TrialTable
          trials={trials}
          columns={withFirst(columns, colourBy)}
          sort={sort}
          order={arrived?.sort ?? null}
          waits={waits}
          hot={hot}
          colourBy={colourBy}
          onOpen={open}
        />
      </div>
    </div>
  );
}

function Empty({ problems }: { problems: readonly string[] }): JSX.Element {
  return (
    <EmptyPage
      title="No hyperparameters yet"
      about="This page compares trials: the settings of each trial, and its metrics."
      lookedFor={
        <>
          the tag <span class="mono">_hparams_/session_start_info</span>
        </>
      }
    >
      {problems.map((message) => (
        <p key={message} class="bad">
          {message}
        </p>
      ))}
      <Snippet
        run="sweep"
        lines={["writer.add_hparams(", `    {"bits": 8, "scheme": "symmetric"},`, `    {"accuracy": 0.994})`]}
      />
    </EmptyPage>
  );
}
