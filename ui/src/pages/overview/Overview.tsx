// The cost of compression over all models. A model that is pointed at is highlighted in tiles, Pareto chart, AURORA
// chart and table.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { loadFront } from "../../api/compression/pareto";
import type { Comparison, Metric } from "../../api/compression/table";
import { readWeights, weightsText } from "../../domain/models/aurora";
import { asFraction, isFraction } from "../../domain/models/gates";
import { GatesMenu } from "../../domain/models/GatesMenu";
import { policy } from "../../domain/models/policy";
import { csvOf, saveAs } from "../../base/text/csv";
import { saveSvg, standaloneSvg } from "../../base/dom/svg_file";
import { plural, withComma, withoutUnit } from "../../base/text/format";
import { EmptyPage } from "../../domain/live/EmptyPage";
import { comparisonLines, shellFolder } from "../../domain/live/Snippet";
import { go, hrefOf, listOf, listText, query, setQuery } from "../../base/address";
import { comparison, comparisonError, sideA, sideB } from "../../domain/models/pair";
import { useResource } from "../../domain/live/resource";
import type { Summary } from "../../api/compression/summary";
import { loadSummary, loadSummaryOf } from "../../domain/models/summary";
import { Menu } from "../../widgets/Menu";
import { AuroraPanel } from "./AuroraPanel";
import { ModelCard } from "./ModelCard";
import { ModelTable } from "./ModelTable";
import { ParetoChart } from "./ParetoChart";
import type { ParetoInput } from "./pareto_layout";
import { Radar } from "./Radar";
import { MAX_IN_RADAR, withTick } from "./radar_layout";
import { Tiles } from "./Tiles";
import {
  brushText,
  differs,
  largestExperiment,
  overviewOf,
  pairAt,
  readBrush,
  type Brush,
  type OverviewData,
  type Row,
} from "./rows";
import { visibleRows } from "./row_filter";
import "./overview.css";

/** The value as the chart shows it: fractions are shown in per cent. */
function shownValue(metric: Metric, value: number): number {
  return isFraction(metric) ? asFraction(value) * 100 : value;
}

const shownLabel = (metric: Metric): string => `${withComma(metric.label)}${isFraction(metric) ? ", %" : ""}`;
const plainLabel = (metric: Metric): string => withoutUnit(metric.label);

const isPlaced = (value: number | null | undefined): value is number => Number.isFinite(value);

function paretoInputs(data: OverviewData, x: Metric, y: Metric, experiment: string | null): ParetoInput[] {
  return data.rows.flatMap((row) => {
    const [px, py] = [pairAt(row, data, x), pairAt(row, data, y)];
    // A value that is not finite has no place in the chart; the table shows it.
    if (!isPlaced(px?.b) || !isPlaced(py?.b)) return [];
    const both = isPlaced(px.a) && isPlaced(py.a);
    return [
      {
        name: row.name,
        xa: both ? shownValue(x, px.a) : null,
        ya: both ? shownValue(y, py.a) : null,
        xb: shownValue(x, px.b),
        yb: shownValue(y, py.b),
        ranked: row.model.experiment === experiment,
        derived: (px.derived ?? false) || (py.derived ?? false),
      },
    ];
  });
}

function saveCsv(data: OverviewData, shown: readonly Row[], a: string, b: string): void {
  const metrics = [data.quality, ...data.resources];
  const head = [
    "model",
    ...metrics.flatMap((m) => [`${m.name} ${a}`, `${m.name} ${b}`]),
    "drop",
    ...data.resources.map((m) => `${m.name} gain`),
    "aurora",
    "verdict",
    "why",
    "derived",
  ];
  const rows = shown.map((row) => [
    row.name,
    ...metrics.flatMap((m) => {
      const p = m === data.quality ? row.quality : row.metrics.get(m.name);
      return [p?.a ?? null, p?.b ?? null];
    }),
    row.drop,
    ...data.resources.map((m) => row.metrics.get(m.name)?.gain ?? null),
    row.aurora?.score ?? null,
    row.verdict.state,
    row.verdict.text,
    metrics
      .filter((m) => pairAt(row, data, m)?.derived)
      .map((m) => m.name)
      .join("; "),
  ]);
  saveAs("compression.csv", csvOf(head, rows), "text/csv");
}

function AxisPick({
  name,
  metric,
  choices,
  log,
  onPick,
  onLog,
}: {
  name: "x" | "y";
  metric: Metric;
  choices: readonly Metric[];
  log: boolean;
  onPick: (name: string) => void;
  onLog: () => void;
}): JSX.Element {
  return (
    <span class="label">
      <Menu
        label={`${name} ${plainLabel(metric)}: choose the metric of this axis`}
        value={metric.name}
        choices={choices.map((m) => ({ value: m.name, text: withComma(m.label) }))}
        onPick={onPick}
      >
        <span class="dim">{name}</span> {plainLabel(metric)}
      </Menu>
      <button class="toggle" aria-pressed={log} aria-label={`log scale of ${name}`} onClick={onLog}>
        log
      </button>
    </span>
  );
}

interface Chart {
  readonly x: Metric;
  readonly y: Metric;
  readonly inputs: readonly ParetoInput[];
  readonly logX: boolean;
  readonly logY: boolean;
  /** The experiment whose models are ranked, if there are several experiments. */
  readonly rankedIn: string | null;
}

/** The axes of the Pareto chart, as the address names them. By default, size (or the first resource) and quality. */
function chartOf(data: OverviewData): Chart | null {
  const find = (name: string | null): Metric | undefined => data.axes.find((m) => m.name === name);
  const y = find(query.value.get("y")) ?? data.quality;
  const x = find(query.value.get("x")) ?? data.resources.find((m) => m !== y) ?? data.axes.find((m) => m !== y);
  if (!x) return null;
  const shown = data.rows
    .filter((row) => pairAt(row, data, x)?.b != null && pairAt(row, data, y)?.b != null)
    .map((row) => row.model);
  const ranked = largestExperiment(shown);
  const inputs = paretoInputs(data, x, y, ranked);
  const log = (key: string, usual: boolean): boolean => (query.value.has(key) ? query.value.get(key) === "1" : usual);
  return {
    x,
    y,
    inputs,
    rankedIn: inputs.every((m) => m.ranked) ? null : (ranked ?? null),
    logX: log("xlog", spansDecade(inputs)),
    logY: log("ylog", false),
  };
}

const NO_FRONT: ReadonlySet<string> = new Set();

/**
 * The Pareto front of the ranked models that pass the filter, computed by the server. It is empty if the logs do not
 * say which direction of a metric is better.
 */
function useFront(chart: Chart | null, ranked: readonly string[], b: string): ReadonlySet<string> {
  const hasDirections = chart !== null && chart.x.higherIsBetter !== null && chart.y.higherIsBetter !== null;
  const metrics = chart && hasDirections && ranked.length > 0 ? [chart.x.name, chart.y.name] : [];
  const key = JSON.stringify([metrics, b, ranked]);
  const { data } = useResource(key, async (signal) => ({
    key,
    front: metrics.length === 0 ? NO_FRONT : await loadFront(metrics, b, ranked, signal),
  })).state.value;
  return data?.key === key ? data.front : NO_FRONT; // Not the front of other axes or models.
}

function rowsInside(data: OverviewData, chart: Chart | null, brush: Brush | null): Row[] {
  const inside = new Set(
    chart?.inputs
      .filter(({ xb, yb }) => !brush || (xb >= brush.x[0] && xb <= brush.x[1] && yb >= brush.y[0] && yb <= brush.y[1]))
      .map((m) => m.name),
  );
  return visibleRows(
    data,
    query.value.get("find") ?? "",
    (row) => (!brush || inside.has(row.name)) && (!query.value.has("diff") || differs(row)),
  );
}

export default function Overview(): JSX.Element {
  const hot = useSignal<string | null>(null);
  const drawing = useRef<HTMLElement>(null);
  const table = comparison.value;
  const [a, b] = [sideA.value, sideB.value];
  const weights = weightsText(readWeights(query.value.get("weights")));
  const { state: loaded, retry } = useResource(JSON.stringify([a, b, policy.value, weights]), (signal) =>
    loadSummary(a, b, policy.value, signal, weights),
  );
  const { data: summary, error } = loaded.value;
  const data = useMemo(() => (table && summary ? overviewOf(table, a, b, summary) : null), [table, a, b, summary]);
  const [xName, yName, xLog, yLog] = ["x", "y", "xlog", "ylog"].map((key) => query.value.get(key));
  const chart = useMemo(() => (data ? chartOf(data) : null), [data, xName, yName, xLog, yLog]);
  const filtered = data ? rowsInside(data, chart, null) : [];
  const passing = new Set(filtered.map((row) => row.name));
  const ranked = chart?.inputs.flatMap((m) => (m.ranked && passing.has(m.name) ? [m.name] : [])) ?? [];
  const front = useFront(chart, ranked, b);
  if (!table) return <Waiting />;
  if (table.models.length === 0) return <Empty />;
  if (error && !summary)
    return (
      <p class="trouble" role="alert">
        {error.message}{" "}
        <button class="link" onClick={retry}>
          Try again
        </button>
      </p>
    );
  if (!summary) return <div class="view" aria-busy="true" />;
  if (!data && table.models.length > 0) return <WithoutQuality table={table} a={a} b={b} />;
  if (!data || data.rows.length === 0) return <Empty />;

  const brush = chart ? readBrush(query.value.get("brush")) : null;
  const rows = brush ? rowsInside(data, chart, brush) : filtered;
  // With one model on the front there is no line to draw, so the page names the model.
  const [winner = null] = front.size === 1 && ranked.length > 1 ? front : [];
  const rules =
    [...summary.verdicts.values()].find(({ gates }) => gates.length > 0)?.gates.map(({ rule }) => rule) ?? [];
  const isDrawn = chart !== null && chart.inputs.length > 0;
  const derived = chart?.inputs.filter((m) => m.derived).length ?? 0;
  const pins = listOf(query.value.get("pins")).slice(0, MAX_IN_RADAR);
  const ticked = pins.flatMap((name) => data.rows.find((row) => row.name === name) ?? []);
  const tick = (name: string): void =>
    setQuery({ pins: listText(withTick(listOf(query.value.get("pins")), name)) }, "replace");
  const open = (name: string): void => go(hrefOf(["compare"], { model: name }));
  return (
    <div class="view overview">
      <div class="page-bar">
        <h1>Overview</h1>
        <span class="note">
          {plural(data.rows.length, "model")}, {a} against {b}
        </span>
        {chart && data.axes.length > 1 && (
          <span class="axes push">
            <AxisPick
              name="x"
              metric={chart.x}
              choices={data.axes}
              log={chart.logX}
              onPick={(name) => setQuery({ x: name, brush: null, xlog: null })}
              onLog={() => setQuery({ xlog: chart.logX ? "0" : "1" })}
            />
            <AxisPick
              name="y"
              metric={chart.y}
              choices={data.axes}
              log={chart.logY}
              onPick={(name) => setQuery({ y: name === data.quality.name ? null : name, brush: null, ylog: null })}
              onLog={() => setQuery({ ylog: chart.logY ? "0" : "1" })}
            />
          </span>
        )}
        <GatesMenu rules={rules} />
      </div>
      <FilteredTiles summary={summary} rows={rows} all={data.rows.length} />
      <div class="charts">
        <section class="panel chart-panel" aria-labelledby="pareto-title" ref={drawing}>
          <div class="panel-head">
            <h2 id="pareto-title">
              {chart ? `${plainLabel(chart.y)} against ${plainLabel(chart.x).toLowerCase()}` : data.quality.label}
            </h2>
            <span class="note long">
              <span class="in-a">● {a}</span> → <span class="in-b">◆ {b}</span>; {chart?.inputs.length ?? 0} of{" "}
              {plural(data.rows.length, "model")} logged both variants{derived > 0 ? `, ${derived} derived` : ""}
              {winner !== null ? `; none beats ${winner}` : ""}
              {chart && chart.rankedIn !== null
                ? `; the Pareto front compares only models of ${chart.rankedIn === "." ? "the log directory itself" : chart.rankedIn}, because experiments may differ in data and machine`
                : ""}
            </span>
            {brush ? (
              <button class="link push" onClick={() => setQuery({ brush: null })}>
                Clear the selected area
              </button>
            ) : (
              isDrawn && <span class="note push hint">drag over the chart to filter models</span>
            )}
            {isDrawn && (
              <button
                class="link"
                onClick={() => {
                  const svg = drawing.current?.querySelector("svg");
                  if (svg)
                    saveSvg(
                      "pareto",
                      standaloneSvg(svg, `${drawing.current?.querySelector("h2")?.textContent ?? ""}: ● ${a} → ◆ ${b}`),
                    );
                }}
              >
                SVG
              </button>
            )}
          </div>
          {isDrawn ? (
            <ParetoChart
              {...chart}
              xHigherIsBetter={chart.x.higherIsBetter ?? false}
              yHigherIsBetter={chart.y.higherIsBetter ?? true}
              {...(isFraction(chart.y) ? { yMost: 100 } : {})}
              xLabel={shownLabel(chart.x)}
              yLabel={shownLabel(chart.y)}
              front={front}
              frontName={`${b} front`}
              summary={`${chart.y.label} against ${chart.x.label} for ${chart.inputs.length} models, with one arrow from ${a} to ${b} for each model`}
              hot={hot}
              passing={new Set(rows.map((row) => row.name))}
              onOpen={open}
              brush={brush}
              onBrush={(next) => setQuery({ brush: next ? brushText(next) : null }, "replace")}
              card={(name) => <ModelCard row={data.rows.find((row) => row.name === name)!} data={data} a={a} b={b} />}
            />
          ) : (
            <p class="note">
              No model has a resource metric, such as size, latency or throughput, for both {a} and {b}.
            </p>
          )}
        </section>
        <AuroraPanel rows={rows} hot={hot} onOpen={open} />
      </div>
      {ticked.length > 0 && (
        <Radar
          data={data}
          rows={ticked}
          a={a}
          b={b}
          hot={hot}
          onRemove={tick}
          onClear={() => setQuery({ pins: null }, "replace")}
        />
      )}
      <ModelTable
        data={data}
        rows={rows}
        ticked={ticked.map((row) => row.name)}
        onTick={tick}
        a={a}
        b={b}
        sort={query.value.get("sort") ?? "-drop"}
        onSort={(sort) => setQuery({ sort }, "replace")}
        hot={hot}
        onOpen={open}
        onCsv={() => saveCsv(data, rows, a, b)}
      />
    </div>
  );
}

/** The key metrics of the models that pass the filter. */
function FilteredTiles({ summary, rows, all }: { summary: Summary; rows: readonly Row[]; all: number }): JSX.Element {
  const names = rows.length === all ? [] : rows.map(({ name }) => name);
  const pair = { a: summary.a, b: summary.b, policy: policy.value };
  const { data, stale } = useResource(JSON.stringify([names, pair]), async (signal) =>
    names.length === 0 ? null : loadSummaryOf(names, pair, signal),
  ).state.value;
  return (
    <Tiles
      summary={names.length > 0 && data ? data : summary}
      of={names.length > 0 && data && !stale ? `${rows.length} of ${all} models` : ""}
    />
  );
}

function spansDecade(inputs: readonly ParetoInput[]): boolean {
  const xs = inputs.flatMap((m) => (m.xa === null ? [m.xb] : [m.xa, m.xb])).filter((v) => v > 0);
  return xs.length > 0 && Math.max(...xs) / Math.min(...xs) > 8;
}

function Waiting(): JSX.Element {
  const error = comparisonError.value;
  if (error)
    return (
      <p class="trouble" role="alert">
        <b>The comparison could not be read.</b> {error.message}
      </p>
    );
  return <div class="view" aria-busy="true" />;
}

/** Shown if two model files were compared, or if no quality metric was logged. */
function WithoutQuality({ table, a, b }: { table: Comparison; a: string; b: string }): JSX.Element {
  return (
    <EmptyPage
      title="No quality metric was logged"
      about={`${plural(table.models.length, "model")}: ${table.models
        .slice(0, 3)
        .map((model) => model.name)
        .join(
          ", ",
        )}${table.models.length > 3 ? ", …" : ""}. Metrics in the logs: ${table.metrics.map((m) => m.label).join(", ")}.`}
      lookedFor={
        <>
          a quality metric, such as{" "}
          <span class="mono">
            {table.models[0]?.plainName}/metrics/accuracy/{b}
          </span>
          , for both {a} and {b}
        </>
      }
    >
      <p>
        Without a quality metric,{" "}
        <a class="link" href={hrefOf(["compare"], {})}>
          Compare
        </a>{" "}
        shows all other metrics, and{" "}
        <a class="link" href={hrefOf(["layers"], {})}>
          Layers
        </a>{" "}
        names the damaged layers. With it, this page compares quality with size and time:
      </p>
      <pre>{comparisonLines()}</pre>
    </EmptyPage>
  );
}

function Empty(): JSX.Element {
  return (
    <EmptyPage
      title="No comparison was logged yet"
      about="This page compares variants of models: the loss of quality, and the savings in size, time, memory and power."
      lookedFor={
        <>
          metrics of a model and a variant, such as <span class="mono">alexnet/metrics/accuracy/int8</span>
        </>
      }
    >
      <p>Import a benchmark file, or log metrics from Python:</p>
      <pre>{`compression-board import results.json \\
    --logdir ${shellFolder()}

${comparisonLines()}`}</pre>
    </EmptyPage>
  );
}
