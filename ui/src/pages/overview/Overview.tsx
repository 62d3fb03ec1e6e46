// What compression cost over all models: tiles, Pareto, AURORA and table light up together.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Metric } from "../../api/compression";
import { asFraction, POLICIES } from "../../lib/gates";
import { csvOf, saveAs } from "../../lib/csv";
import { fixed, plural, ratio, significant } from "../../lib/format";
import { go, hrefOf, query, setQuery } from "../../state/location";
import { progress, status } from "../../state/live";
import { comparison, comparisonError, sideA, sideB } from "../../state/pair";
import { Menu } from "../../shell/Menu";
import { AuroraPanel } from "./AuroraPanel";
import { ModelTable } from "./ModelTable";
import { ParetoChart } from "./ParetoChart";
import type { ParetoInput } from "./pareto_layout";
import { median, overviewOf, type OverviewData, type Row } from "./rows";
import "./overview.css";

function Tile({ name, figure, unit, from }: { name: string; figure: string; unit?: string; from: JSX.Element | string }): JSX.Element {
  return (
    <div class="tile">
      <div class="name">{name}</div>
      <div class="figure">{figure}{unit && <small> {unit}</small>}</div>
      <div class="from">{from}</div>
    </div>
  );
}

function best(rows: readonly Row[], value: (row: Row) => number | null): { row: Row; value: number } | null {
  let found: { row: Row; value: number } | null = null;
  for (const row of rows) {
    const v = value(row);
    if (v !== null && Number.isFinite(v) && (!found || v > found.value)) found = { row, value: v };
  }
  return found;
}

function Tiles({ data }: { data: OverviewData }): JSX.Element {
  const drops = data.rows.flatMap((row) => (row.drop === null ? [] : [row.drop]));
  const text = (drop: number): string => (data.qualityIsFraction ? fixed(drop * 100, 2) : significant(drop, 3));
  const unit = data.qualityIsFraction ? "pp" : "";
  const middle = median(drops);
  const worst = best(data.rows, (row) => row.drop);
  const failing = data.rows.filter((row) => row.verdict.fails.length > 0);
  const checked = data.rows.filter((row) => row.verdict.checked > 0);
  const gains = data.resources.slice(0, 2).map((metric) => ({ metric, top: best(data.rows, (row) => row.metrics.get(metric.name)?.gain ?? null) }));
  return (
    <div class="tiles">
      {middle !== null && <Tile name="Median drop" figure={text(middle)} unit={unit} from={`${drops.filter((d) => d <= 0).length} of ${drops.length} lose nothing`} />}
      {worst && <Tile name="Worst drop" figure={text(worst.value)} unit={unit}
        from={worst.row.verdict.fails.length > 0 ? <span class="verdict bad">{worst.row.name}</span> : worst.row.name} />}
      {gains.map(({ metric, top }) => top && (
        <Tile key={metric.name} name={`Best ${metric.name === "model_size_mb" ? "ratio" : metric.name === "latency_mean_ms" || metric.name === "throughput" ? "speedup" : metric.label}`}
          figure={ratio(top.value)} from={`${top.row.name}, ${data.rows.filter((row) => row.metrics.get(metric.name)?.gain != null).length} measured`} />
      ))}
      <Tile name="Gates" figure={String(checked.length - failing.length)} unit={`of ${checked.length} pass`}
        from={failing.length > 0 ? <span class="verdict bad">{failing.length} fail, see table</span> : <span class="verdict good">none fails</span>} />
    </div>
  );
}

function Card({ row, data, a, b }: { row: Row; data: OverviewData; a: string; b: string }): JSX.Element {
  const show = (v: number | null): string => (v === null ? "–" : data.qualityIsFraction ? `${fixed(asFraction(v) * 100, 2)} %` : significant(v));
  return (
    <>
      <b>{row.name}</b>
      <dl>
        <dt /><dd class="in-a">● {a}</dd><dd class="in-b">◆ {b}</dd><dd class="dim">change</dd>
        <dt>{data.quality.label}</dt><dd>{show(row.quality.a)}</dd><dd>{show(row.quality.b)}</dd>
        <dd>{row.drop === null ? "–" : data.qualityIsFraction ? `${fixed(-row.drop * 100, 2)} pp` : significant(-row.drop)}</dd>
        {data.resources.map((metric) => {
          const pair = row.metrics.get(metric.name);
          if (!pair || (pair.a === null && pair.b === null)) return null;
          return (
            <>
              <dt>{metric.label}</dt>
              <dd>{pair.a === null ? "–" : significant(pair.a)}</dd>
              <dd>{pair.b === null ? "–" : significant(pair.b)}</dd>
              <dd>{pair.gain === null ? "–" : ratio(pair.gain)}</dd>
            </>
          );
        })}
      </dl>
    </>
  );
}

function paretoInputs(data: OverviewData, metric: Metric): ParetoInput[] {
  const y = (v: number): number => (data.qualityIsFraction ? asFraction(v) * 100 : v);
  return data.rows.flatMap((row) => {
    const pair = row.metrics.get(metric.name);
    if (pair?.b == null || row.quality.b === null) return [];
    return [{
      name: row.name,
      xa: row.quality.a === null ? null : pair.a,
      ya: pair.a === null || row.quality.a === null ? null : y(row.quality.a),
      xb: pair.b,
      yb: y(row.quality.b),
    }];
  });
}

function saveCsv(data: OverviewData, a: string, b: string): void {
  const metrics = [data.quality, ...data.resources];
  const head = ["model", ...metrics.flatMap((m) => [`${m.name} ${a}`, `${m.name} ${b}`]), "drop", ...data.resources.map((m) => `${m.name} gain`), "aurora", "fails"];
  const rows = data.rows.map((row) => [
    row.name,
    ...metrics.flatMap((m) => { const p = m === data.quality ? row.quality : row.metrics.get(m.name); return [p?.a ?? null, p?.b ?? null]; }),
    row.drop,
    ...data.resources.map((m) => row.metrics.get(m.name)?.gain ?? null),
    row.aurora?.score ?? null,
    row.verdict.fails.join("; "),
  ]);
  saveAs("compression.csv", csvOf(head, rows), "text/csv");
}

export default function Overview(): JSX.Element {
  const hot = useSignal<string | null>(null);
  const table = comparison.value;
  const [a, b] = [sideA.value, sideB.value];
  const policy = POLICIES.find((p) => p.name === query.value.get("policy")) ?? POLICIES[0]!;
  const data = useMemo(() => (table ? overviewOf(table, a, b, policy) : null), [table, a, b, policy]);
  if (!table) return <Waiting />;
  if (!data || data.rows.length === 0) return <Empty />;

  const xName = query.value.get("x") ?? data.resources[0]?.name ?? "";
  const x = data.resources.find((m) => m.name === xName) ?? data.resources[0];
  const inputs = x ? paretoInputs(data, x) : [];
  const open = (name: string): void => go(hrefOf(["compare"], { model: name }));
  return (
    <div class="view overview">
      <div class="page-bar">
        <h1>Overview</h1>
        <span class="note">{plural(data.rows.length, "model")}, {a} against {b}</span>
        {data.resources.length > 1 && (
          <span class="label push">x
            <span class="seg" role="group" aria-label="Horizontal axis">
              {data.resources.map((m) => (
                <button key={m.name} aria-pressed={m === x} onClick={() => setQuery({ x: m === data.resources[0] ? null : m.name })}>
                  {m.label.replace(/ \(.*\)$/, "")}
                </button>
              ))}
            </span>
          </span>
        )}
        <Menu label={`Policy: ${policy.name}`} value={policy.name} choices={POLICIES.map((p) => ({ value: p.name, text: p.name }))}
          onPick={(name) => setQuery({ policy: name === POLICIES[0]?.name ? null : name })}>
          <span class="dim">Policy</span> {policy.name}
        </Menu>
      </div>
      <Tiles data={data} />
      <div class="charts">
        <section class="panel" aria-labelledby="pareto-title">
          <div class="panel-head">
            <h2 id="pareto-title">{x ? `${data.quality.label} against ${x.label.replace(/ \(.*\)$/, "").toLowerCase()}` : data.quality.label}</h2>
            <span class="note"><span class="in-a">● {a}</span> → <span class="in-b">◆ {b}</span>; {inputs.length} of {plural(data.rows.length, "model")} logged {x ? "it" : "a resource"}</span>
            <button class="link push" onClick={() => saveCsv(data, a, b)}>CSV</button>
          </div>
          {x && inputs.length > 0
            ? <ParetoChart inputs={inputs} logX={spansDecade(inputs)} xHigherIsBetter={x.higherIsBetter ?? false}
                yHigherIsBetter={data.quality.higherIsBetter ?? true} xLabel={x.label} yLabel={`${data.quality.label}${data.qualityIsFraction ? ", %" : ""}`}
                frontName={`${b} front`} summary={`${data.quality.label} against ${x.label} for ${inputs.length} models, with an arrow from ${a} to ${b} each`}
                hot={hot.value} onHot={(name) => (hot.value = name)} onOpen={open}
                card={(name) => <Card row={data.rows.find((row) => row.name === name)!} data={data} a={a} b={b} />} />
            : <p class="note">No model has both {a} and {b} of a resource such as size, latency or throughput.</p>}
        </section>
        <AuroraPanel rows={data.rows} hot={hot.value} onHot={(name) => (hot.value = name)} onOpen={open} />
      </div>
      <ModelTable data={data} a={a} b={b} sort={query.value.get("sort") ?? "-drop"} onSort={(sort) => setQuery({ sort }, "replace")}
        hot={hot.value} onHot={(name) => (hot.value = name)} onOpen={open} />
    </div>
  );
}

function spansDecade(inputs: readonly ParetoInput[]): boolean {
  const xs = inputs.flatMap((m) => (m.xa === null ? [m.xb] : [m.xa, m.xb])).filter((v) => v > 0);
  return xs.length > 0 && Math.max(...xs) / Math.min(...xs) > 8;
}

function Waiting(): JSX.Element {
  const error = comparisonError.value;
  if (error) return <p class="trouble" role="alert"><b>The comparison could not be read.</b> {error.message}</p>;
  return <div class="view" aria-busy="true" />;
}

function Empty(): JSX.Element {
  const now = status.value;
  const loading = progress.value !== null && !progress.value.complete;
  return (
    <div class="empty">
      <h1>{loading ? "Reading the logs" : "No comparison was logged yet"}</h1>
      <p>
        This page sets variants of a model side by side: what compression cost in quality, and what it saved in size, time, memory and power.
      </p>
      {now && (
        <p>
          {now.logdirs.paths.join(", ")} holds {plural(now.runs, "run")} and {plural(now.tags, "tag")}; none of them
          is a metric of a model and a variant, such as <span class="mono">alexnet/metrics/accuracy/int8</span>.
        </p>
      )}
      {now?.problems.messages.map((message) => <p key={message} class="bad">{message}</p>)}
      <p>Log one from a benchmark file, or from Python:</p>
      <pre>{`compression-board import results.json --logdir runs

from compression_board import CompressionWriter
with CompressionWriter("runs/alexnet") as writer:
    writer.log_compression_comparison("alexnet", fp32, int8)`}</pre>
    </div>
  );
}
