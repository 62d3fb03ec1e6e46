// A against B of one model: what changed, whether it passes, and the numbers the verdict rests on.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { getJson, postJson } from "../../api/client";
import { toNumber, type WireNumber } from "../../api/wire";
import type { Comparison, Metric, Model } from "../../api/compression";
import type { Tags } from "../../api/types";
import { HistogramChart } from "../../charts/histogram/HistogramChart";
import { asFraction, check, gain, isFraction, judge, POLICIES, type Policy } from "../../lib/gates";
import { flatTag } from "../../lib/flat_tags";
import { fixed, percent, points, ratio, significant } from "../../lib/format";
import { Waterfall } from "../../parts/Waterfall";
import { Menu } from "../../shell/Menu";
import { hrefOf, query, setQuery } from "../../state/location";
import { comparison, model as modelName, sideA, sideB } from "../../state/pair";
import { useResource } from "../../state/resource";
import "./compare.css";
import "../layers/layers.css";

function valueText(metric: Metric, value: number | null): string {
  if (value === null) return "not logged";
  return isFraction(metric) ? `${percent(asFraction(value))} %` : `${significant(value)}${metric.unit ? ` ${metric.unit}` : ""}`;
}

/** Red is for what a gate forbids; a loss that may be is a number like others. */
function Change({ metric, a, b, fails }: { metric: Metric; a: number | null; b: number | null; fails: boolean }): JSX.Element {
  if (a === null || b === null) return <span class="none">–</span>;
  if (isFraction(metric)) {
    const change = asFraction(b) - asFraction(a);
    return <span class={fails ? "verdict bad" : ""}>{change === 0 ? "=" : points(change)}</span>;
  }
  const times = gain(a, b, metric.higherIsBetter ?? false);
  if (times === null || metric.higherIsBetter === null) return <span>{significant(b - a)}</span>;
  return <span class={fails ? "verdict bad" : times < 1 ? "warn verdict" : ""}>{times === 1 ? "=" : `${ratio(times)} better`.replace(/^(0\.\S+×) better$/, "$1")}</span>;
}

interface OverlayAnswer {
  edges: WireNumber[];
  series: { counts?: WireNumber[]; min?: WireNumber; max?: WireNumber; mean?: WireNumber; num?: WireNumber; error?: { message: string } }[];
}

/** Value below which a share of the counts lies, inside its bin by proportion. */
export function quantile(edges: readonly number[], counts: readonly number[], share: number): number {
  const total = counts.reduce((sum, c) => sum + c, 0);
  let before = 0;
  for (let i = 0; i < counts.length; i += 1) {
    const c = counts[i] ?? 0;
    if (c > 0 && before + c >= share * total) {
      const inside = (share * total - before) / c;
      return (edges[i] ?? 0) + inside * ((edges[i + 1] ?? 0) - (edges[i] ?? 0));
    }
    before += c;
  }
  return edges.at(-1) ?? NaN;
}

function Latency({ a, b, name }: { a: string; b: string; name: string }): JSX.Element | null {
  const tags = useResource("histogram-tags", (signal) => getJson<Tags>("tags", { kind: "histogram" }, signal)).state.value.data;
  const find = (variant: string): [string, string, null] | null => {
    const i = tags?.names.findIndex((tag) => tag === `${name}/latency_distribution/${variant}` || tag.endsWith(`/${name}/latency_distribution/${variant}`)) ?? -1;
    const run = tags && i >= 0 ? tags.runs[tags.run_lists[i]?.[0] ?? -1] : undefined;
    return run !== undefined && tags ? [run, tags.names[i] ?? "", null] : null;
  };
  const [sa, sb] = [find(a), find(b)];
  const body = sa && sb ? { series: [sa, sb], bins: 120 } : null;
  const data = useResource(JSON.stringify(body), (signal) => (body ? postJson<OverlayAnswer>("histograms/overlay", body, signal) : Promise.resolve(null))).state.value.data;
  const input = useMemo(() => data && { edges: data.edges.map(toNumber), a: data.series[0]?.counts?.map(toNumber) ?? null, b: data.series[1]?.counts?.map(toNumber) ?? null }, [data]);
  if (!input) return null;
  return (
    <section class="panel" aria-labelledby="latency-title">
      <div class="panel-head"><h2 id="latency-title">Latency</h2><span class="note"><span class="in-a">● {a}</span>, <span class="in-b">◆ {b}</span> on one axis, ms</span></div>
      <HistogramChart input={input} view="linear" nameA={a} nameB={b} clip={null} summary={`Latency of ${a} and ${b}`} />
      <dl class="facts">
        {[0.5, 0.9, 0.99].map((share) => (
          <div key={share}><dt>p{share * 100}</dt><dd>{input.a ? significant(quantile(input.edges, input.a, share)) : "–"} → {input.b ? significant(quantile(input.edges, input.b, share)) : "–"} ms</dd></div>
        ))}
      </dl>
    </section>
  );
}

function Gates({ model, a, b, policy }: { model: Model; a: string; b: string; policy: Policy }): JSX.Element {
  return (
    <section class="panel" aria-labelledby="gates-title">
      <div class="panel-head"><h2 id="gates-title">Gates</h2><span class="note">policy {policy.name}</span></div>
      <ul class="gates">
        {policy.gates.map((gate) => check(model, a, b, gate)).map(({ gate, rule, measured, passes }) => (
          <li key={gate.metric}>
            <span>{rule}</span>
            <span class="dim">{gate.metric}</span>
            {passes === null
              ? <span class="none" title={`not logged: ${flatTag(model.name, gate.metric, model.value(a, gate.metric) === null ? a : b)}`}>not logged</span>
              : <span class={`verdict ${passes ? "good" : "bad"}`}>{measured}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function View({ table, model }: { table: Comparison; model: Model }): JSX.Element {
  const [a, b] = [sideA.value, sideB.value];
  const policy = POLICIES.find((p) => p.name === query.value.get("policy")) ?? POLICIES[0]!;
  const verdict = judge(model, a, b, policy);
  const failing = new Set(policy.gates.filter((gate) => check(model, a, b, gate).passes === false).map((gate) => gate.metric));
  const score = model.aurora(b);
  const metrics = table.metrics.filter((metric) => model.cell(a, metric.name) || model.cell(b, metric.name));
  const tiles = metrics.filter((metric) => model.cell(a, metric.name) && model.cell(b, metric.name)).slice(0, 5);
  return (
    <div class="view compare">
      <div class="page-bar">
        <h1>{model.name}</h1>
        <span class="note">{a} against {b}</span>
        <span class={verdict.fails.length > 0 ? "verdict bad" : "verdict good"}>
          {verdict.fails.length > 0 ? verdict.fails.join(", ") : verdict.checked > 0 ? `passes ${verdict.checked} of ${policy.gates.length} gates, the others were not logged`.replace(/ of (\d+) gates, .*$/, (m, n) => (Number(n) === verdict.checked ? " gates" : m)) : "nothing to check"}
        </span>
        <a class="link push" href={hrefOf(["layers"], { model: model.name })}>Layers</a>
        <Menu label={`Policy: ${policy.name}`} value={policy.name} choices={POLICIES.map((p) => ({ value: p.name, text: p.name }))}
          onPick={(name) => setQuery({ policy: name === POLICIES[0]?.name ? null : name })}><span class="dim">Policy</span> {policy.name}</Menu>
      </div>
      <div class="tiles">
        {tiles.map((metric) => (
          <div class="tile" key={metric.name}>
            <div class="name">{metric.label}</div>
            <div class="figure"><small class="in-a">{valueText(metric, model.value(a, metric.name))}</small> → {valueText(metric, model.value(b, metric.name))}</div>
            <div class="from"><Change metric={metric} a={model.value(a, metric.name)} b={model.value(b, metric.name)} fails={failing.has(metric.name)} /></div>
          </div>
        ))}
      </div>
      <div class="compare-grid">
        <section class="panel" aria-labelledby="metrics-title">
          <div class="panel-head"><h2 id="metrics-title">Metrics</h2><span class="note">{metrics.length} logged</span></div>
          <table class="table">
            <thead><tr><th scope="col">Metric</th><th scope="col" class="num"><span class="in-a">● {a}</span></th><th scope="col" class="num"><span class="in-b">◆ {b}</span></th><th scope="col" class="num">Change</th><th scope="col">Where</th></tr></thead>
            <tbody>
              {metrics.map((metric) => {
                const [ca, cb] = [model.cell(a, metric.name), model.cell(b, metric.name)];
                return (
                  <tr key={metric.name}>
                    <td>{metric.label}</td>
                    <td class={`num ${ca ? "" : "none"}`} title={ca ? undefined : `not logged: ${flatTag(model.name, metric.name, a)}`}>{valueText(metric, ca?.value ?? null)}</td>
                    <td class={`num ${cb ? "" : "none"}`} title={cb ? undefined : `not logged: ${flatTag(model.name, metric.name, b)}`}>{valueText(metric, cb?.value ?? null)}</td>
                    <td class="num"><Change metric={metric} a={ca?.value ?? null} b={cb?.value ?? null} fails={failing.has(metric.name)} /></td>
                    <td class="mono dim" title={`${cb?.run ?? ca?.run}: ${cb?.tag ?? ca?.tag}`}>{cb?.tag || ca?.tag || cb?.run || ca?.run}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </section>
        <div>
          <section class="panel" aria-labelledby="aurora-title">
            <div class="panel-head"><h2 id="aurora-title">AURORA {score?.score != null ? fixed(score.score, 2) : ""}</h2>
              <span class="note">{score?.score != null ? `${score.kind}${score.formula ? `, ${score.formula}` : ""}, coverage ${fixed(score.coverage, 2)}; 1.00 is break-even` : ""}</span></div>
            {score && score.factors.length > 0 ? <Waterfall score={score} /> : <p class="note">{score?.reason ?? "No score: it needs accuracy and at least half of the weights."}</p>}
          </section>
          <Gates model={model} a={a} b={b} policy={policy} />
          <Latency a={a} b={b} name={model.name} />
        </div>
      </div>
    </div>
  );
}

export default function Compare(): JSX.Element {
  const table = comparison.value;
  if (!table) return <div class="view" aria-busy="true" />;
  const model = table.byName.get(modelName.value ?? "") ?? (modelName.value === null ? table.models[0] : undefined);
  if (!model) {
    return (
      <div class="empty">
        <h1>{modelName.value === null ? "Nothing to compare yet" : `There is no model ${modelName.value}`}</h1>
        <p>{table.models.length > 0 ? `Logged were ${table.models.slice(0, 8).map((m) => m.name).join(", ")}${table.models.length > 8 ? " and others" : ""}.` : "No metric of a model and a variant was logged."}</p>
        <p><a class="link" href={hrefOf(["overview"], { model: null })}>Go to the overview</a></p>
      </div>
    );
  }
  return <View table={table} model={model} />;
}
