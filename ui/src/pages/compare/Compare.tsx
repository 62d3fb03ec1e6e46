// A against B of one model: what changed, whether the model passes its gates, and the metrics behind the verdict.
import { tagsShape } from "../../api/board";
import { overlayShape } from "../../api/histograms";
import { toNumber } from "../../api/shape";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { getJson, postJson } from "../../api/client";
import type { Comparison, Model } from "../../api/compression/table";
import { BinTable } from "../../charts/histogram/BinTable";
import { HistogramChart, type HistogramMark } from "../../charts/histogram/HistogramChart";
import { NOT_CHECKED, toneOfVerdict, type Verdict } from "../../api/compression/summary";
import { GatesMenu } from "../../domain/models/GatesMenu";
import { policy } from "../../domain/models/policy";
import { flatTag } from "../../domain/models/flat_tags";
import { asSentence, fixed, percent, significant, steady, withoutUnit } from "../../base/text/format";
import { quantile } from "../../base/math/quantile";
import { DERIVED } from "../../domain/models/DerivedMark";
import { EmptyPage } from "../../domain/live/EmptyPage";
import { comparisonLines } from "../../domain/live/Snippet";
import { Waterfall } from "../../charts/Waterfall";
import { hrefOf, query, setQuery } from "../../base/address";
import { comparison, shownModel, sideA, sideB } from "../../domain/models/pair";
import { useResource } from "../../domain/live/resource";
import { loadSummary } from "../../domain/models/summary";
import { BytesPanel } from "./BytesPanel";
import { ClassPanel } from "./ClassPanel";
import { BINS, withoutTail } from "./latency";
import { ConfigPanel } from "./ConfigPanel";
import { Change, MetricsTable, valueTexts } from "./MetricsTable";
import "./compare.css";
import "../../domain/layers/layers.css";

interface Percentile {
  readonly value: number | null;
  readonly text: string;
}

/**
 * The percentile as it was logged. If it was not logged, the estimate from the histogram, marked by "≈" because the
 * bins may be wide.
 */
function percentile(
  model: Model,
  variant: string,
  share: number,
  edges: readonly number[],
  counts: readonly number[] | null,
): Percentile {
  const logged = model.value(variant, `latency_p${share * 100}_ms`);
  if (logged !== null) return { value: logged, text: steady(logged, 3) };
  const value = counts ? quantile(edges, counts, share) : null;
  return { value, text: value === null ? "–" : `≈ ${steady(value, 3)}` };
}

function Latency({ a, b, model }: { a: string; b: string; model: Model }): JSX.Element | null {
  const { name } = model;
  const tags = useResource("histogram-tags", (signal) => getJson(tagsShape, "tags", { kind: "histogram" }, signal))
    .state.value.data;
  const find = (variant: string): [string, string, null] | null => {
    const i =
      tags?.names.findIndex(
        (tag) =>
          tag === `${name}/latency_distribution/${variant}` || tag.endsWith(`/${name}/latency_distribution/${variant}`),
      ) ?? -1;
    const run = tags && i >= 0 ? tags.runs[tags.run_lists[i]?.[0] ?? -1] : undefined;
    return run !== undefined && tags ? [run, tags.names[i] ?? "", null] : null;
  };
  const [sa, sb] = [find(a), find(b)];
  const body = sa && sb ? { series: [sa, sb], bins: BINS } : null;
  const data = useResource(JSON.stringify(body), (signal) =>
    body ? postJson(overlayShape, "histograms/overlay", body, signal) : Promise.resolve(null),
  ).state.value.data;
  const input = useMemo(
    () =>
      data &&
      withoutTail({
        edges: data.edges.map(toNumber),
        a: data.series[0]?.counts?.map(toNumber) ?? null,
        b: data.series[1]?.counts?.map(toNumber) ?? null,
      }),
    [data],
  );
  if (!input) return null;
  const asTable = query.value.get("latency") === "table";
  const shares = [0.5, 0.9, 0.99].map((share) => ({
    name: `p${share * 100}`,
    a: percentile(model, a, share, input.edges, input.a),
    b: percentile(model, b, share, input.edges, input.b),
  }));
  const marks = shares.flatMap(({ name, ...sides }): HistogramMark[] =>
    (["a", "b"] as const).flatMap((side) =>
      sides[side].value === null ? [] : [{ side, value: sides[side].value, text: name }],
    ),
  );
  const summary = `Latency: ${shares.map(({ name, a: pa, b: pb }) => `${name} goes from ${pa.text} to ${pb.text} ms`).join(", ")}`;
  return (
    <section class="panel" aria-labelledby="latency-title">
      <div class="panel-head">
        <h2 id="latency-title">Latency</h2>
        <span class="note">
          <span class="in-a">● {a}</span>, <span class="in-b">◆ {b}</span> on one axis, in ms
        </span>
        <button
          class="link push"
          aria-pressed={asTable}
          onClick={() => setQuery({ latency: asTable ? null : "table" }, "replace")}
        >
          {asTable ? "Chart" : "Table"}
        </button>
      </div>
      {asTable ? (
        <BinTable input={input.shown} nameA={a} nameB={b} caption={`Latencies of ${a} and ${b} in ms`} />
      ) : (
        <HistogramChart
          input={input.shown}
          view="linear"
          nameA={a}
          nameB={b}
          clip={null}
          marks={marks}
          summary={summary}
        />
      )}
      <dl class="facts">
        {shares.map(({ name, a: pa, b: pb }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {pa.text} → {pb.text} ms
            </dd>
          </div>
        ))}
        {input.beyond > 0 && (
          <div>
            <dt>slower than the chart shows</dt>
            <dd>
              {percent(input.beyond, 1)} % of the runs, up to {significant(input.edges.at(-1) ?? NaN, 3)} ms
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}

function Gates({
  model,
  a,
  b,
  policy,
  verdict,
}: {
  model: Model;
  a: string;
  b: string;
  policy: string;
  verdict: Verdict;
}): JSX.Element {
  const { layers } = verdict;
  const measured = layers.red + layers.amber + layers.green;
  const all = measured + layers.unmeasured;
  return (
    <section class="panel" aria-labelledby="gates-title">
      <div class="panel-head">
        <h2 id="gates-title">Gates</h2>
        <span class="note">policy {policy}; the gate for speed uses latency or throughput</span>
      </div>
      <ul class="gates">
        {verdict.gates.map(({ metric, rule, measured, outcome }) => (
          <li key={metric}>
            <span>{rule}</span>
            <span class="dim">{metric}</span>
            {outcome === "missing" && model.isDerived(metric, a, b) ? (
              <span class="none" title={DERIVED}>
                derived
              </span>
            ) : outcome === "missing" ? (
              <span
                class="none"
                title={`not logged: ${flatTag(model.plainName, metric, model.value(a, metric) === null ? a : b)}`}
              >
                not measured
              </span>
            ) : (
              <span class={`verdict ${outcome === "pass" ? "good" : "bad"}`}>{measured}</span>
            )}
          </li>
        ))}
        {(all > 0 || layers.notMeasured !== "") && (
          <li>
            <span>no layer fails</span>
            <span class="dim">layers</span>
            {layers.red > 0 ? (
              <span class="verdict bad">
                {layers.red} of {measured} layers fail
              </span>
            ) : layers.amber > 0 ? (
              <span class="verdict warn">
                {layers.amber} of {measured} layers to watch
              </span>
            ) : layers.green > 0 ? (
              <span class={`verdict ${layers.unmeasured > 0 ? "open" : "good"}`}>
                {layers.green} of {all} layers without damage
              </span>
            ) : (
              <span class="none" title={layers.notMeasured}>
                not measured
              </span>
            )}
          </li>
        )}
      </ul>
      {layers.notMeasured !== "" && <p class="note">Layers are {layers.notMeasured}.</p>}
    </section>
  );
}

function Figure({ texts: [a, b] }: { texts: readonly [string, string] }): JSX.Element {
  return (
    <div class="figure">
      <small class="in-a">{a}</small> <span>→ {b}</span>
    </div>
  );
}

function View({ table, model }: { table: Comparison; model: Model }): JSX.Element {
  const [a, b] = [sideA.value, sideB.value];
  const summary = useResource(JSON.stringify(["summary", a, b, policy.value]), (signal) =>
    loadSummary(a, b, policy.value, signal),
  ).state.value;
  const verdict = summary.data?.verdicts.get(model.name) ?? NOT_CHECKED;
  const failing = new Set(verdict.gates.filter((gate) => gate.outcome === "fail").map((gate) => gate.metric));
  const score = summary.data?.scores.get(model.name);
  const metrics = table.metrics.filter((metric) => model.cell(a, metric.name) || model.cell(b, metric.name));
  const tiles = metrics.filter((metric) => model.cell(a, metric.name) && model.cell(b, metric.name)).slice(0, 5);
  return (
    <div class="view compare">
      <div class="page-bar">
        <h1>{model.name}</h1>
        <span class="note">
          {a} against {b}
        </span>
        {summary.data && <span class={`verdict ${toneOfVerdict(verdict.state)} whole-verdict`}>{verdict.text}</span>}
        {summary.error && (
          <span class="trouble" role="alert">
            {summary.error.message}
          </span>
        )}
        <span class="push ways">
          <a class="link" href={hrefOf(["layers"], { model: model.name })}>
            Layers
          </a>
          <a class="link" href={hrefOf(["graph"], { model: model.name })}>
            Graph
          </a>
        </span>
        <GatesMenu rules={verdict.gates.map(({ rule }) => rule)} />
      </div>
      <div class="tiles">
        {tiles.map((metric) => (
          <div class="tile" key={metric.name}>
            <div class="name">
              {withoutUnit(metric.label)}
              {model.isDerived(metric.name, a, b) && <span title={DERIVED}>, derived</span>}
            </div>
            <Figure texts={valueTexts(metric, model.value(a, metric.name), model.value(b, metric.name))} />
            <div class="from">
              <Change
                metric={metric}
                a={model.value(a, metric.name)}
                b={model.value(b, metric.name)}
                fails={failing.has(metric.name)}
              />
            </div>
          </div>
        ))}
      </div>
      <div class="compare-grid">
        <div>
          <MetricsTable model={model} metrics={metrics} a={a} b={b} failing={failing} />
          <BytesPanel model={model.name} a={a} b={b} />
          <ConfigPanel model={model.name} a={a} b={b} />
        </div>
        <div>
          {summary.data && <Gates model={model} a={a} b={b} policy={policy.value} verdict={verdict} />}
          <Latency a={a} b={b} model={model} />
          <ClassPanel model={model.name} a={a} b={b} />
          <section class="panel" aria-labelledby="aurora-title">
            <div class="panel-head">
              <h2 id="aurora-title">AURORA {score?.score != null ? fixed(score.score, 2) : ""}</h2>
              <span class="note">
                {score?.score != null
                  ? `${score.kind}${score.formula ? `, ${score.formula}` : ""}, coverage ${fixed(score.coverage, 2)}; 1.00 is break-even`
                  : ""}
              </span>
            </div>
            {score && score.factors.length > 0 ? (
              <Waterfall score={score} />
            ) : (
              <p class="note">
                {asSentence(
                  score?.reason ?? "no AURORA score: it needs the quality metric and at least half of the weights",
                )}
              </p>
            )}
          </section>
        </div>
      </div>
    </div>
  );
}

export default function Compare(): JSX.Element {
  const table = comparison.value;
  if (!table) return <div class="view" aria-busy="true" />;
  const model = table.byName.get(shownModel.value ?? "");
  if (!model && table.models.length === 0) {
    return (
      <EmptyPage
        title="Nothing to compare yet"
        about="This page compares two variants of a model: all metrics, the latencies, the size of each layer, the metric drop per class, and the verdict of the gates."
        lookedFor={
          <>
            metrics of a model and a variant, such as <span class="mono">alexnet/metrics/accuracy/int8</span>
          </>
        }
      >
        <p>Log the metrics of two variants from Python:</p>
        <pre>{comparisonLines()}</pre>
      </EmptyPage>
    );
  }
  if (!model) {
    return (
      <div class="empty">
        <h1>There is no model {shownModel.value}</h1>
        <p>
          The logged models are{" "}
          {table.models
            .slice(0, 8)
            .map((m) => m.name)
            .join(", ")}
          {table.models.length > 8 ? " and others" : ""}.
        </p>
        <p>
          <a class="link" href={hrefOf(["overview"], { model: null })}>
            Go to the overview
          </a>
        </p>
      </div>
    );
  }
  return <View table={table} model={model} />;
}
