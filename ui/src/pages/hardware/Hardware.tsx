// What the machine did: one lane per quantity, all on one time axis.
import { useSignal, type Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { getJson } from "../../api/client";
import { postForCurves } from "../../api/curves";
import type { Curve } from "../../api/series";
import type { Tags } from "../../api/types";
import { LineChart } from "../../charts/line/LineChart";
import { plural, significant } from "../../lib/format";
import { Menu } from "../../shell/Menu";
import { query, setQuery } from "../../state/location";
import { useResource } from "../../state/resource";
import { linesOf, xText } from "../scalars/lines";
import { lanesOf, summarize, type Lane } from "./lanes";
import "../scalars/scalars.css";
import "./hardware.css";

function LaneRow({ lane, series, cursor, zoom }: {
  lane: Lane; series: Curve | undefined; cursor: Signal<number | null>; zoom: readonly [number, number] | null;
}): JSX.Element {
  const lines = useMemo(() => (series ? linesOf([series], "relative", 0) : []), [series]);
  const facts = useMemo(() => (series && series.steps.length > 0 ? summarize(series.wallTimes(), series.values) : null), [series]);
  // A share is read against its whole, not against how much it moved.
  const range = useMemo(() => (lane.unit === "%" && facts ? ([0, Math.max(100, facts.peak)] as const) : null), [lane.unit, facts]);
  const text = (value: number): string => `${significant(value, 3)} ${lane.unit}`;
  return (
    <section class="lane" aria-label={lane.name}>
      <div>
        <h2>{lane.name}{lane.unit ? <span class="dim">, {lane.unit}</span> : ""}</h2>
        {facts && (
          <dl class="lane-facts">
            <dt>mean</dt><dd>{text(facts.mean)}</dd>
            <dt>p95</dt><dd>{text(facts.p95)}</dd>
            <dt>peak</dt><dd>{text(facts.peak)}</dd>
            {lane.unit === "W" && <><dt>energy</dt><dd>{significant(facts.area, 3)} J</dd></>}
          </dl>
        )}
        {series?.error && <p class="note bad">{series.error.message}</p>}
      </div>
      <LineChart lines={lines} cursor={cursor} logX={false} logY={false} clipOutliers={false} xRange={zoom} yRange={range} xText={xText("relative")}
        summary={facts ? `${lane.name}: mean ${text(facts.mean)}, peak ${text(facts.peak)}` : lane.name}
        onZoom={(range) => setQuery({ xlim: range ? `${range[0]}~${range[1]}` : null }, "replace")} />
    </section>
  );
}

export default function Hardware(): JSX.Element {
  const tags = useResource("hardware-tags", (signal) => getJson<Tags>("tags", { kind: "scalar" }, signal));
  const cursor = useSignal<number | null>(null);
  const found = tags.state.value.data;
  // Which lanes each run has.
  const byRun = useMemo(() => {
    const map = new Map<string, Lane[]>();
    const lanes = new Map(lanesOf(found?.names ?? []).map((lane) => [lane.tag, lane]));
    const at = new Map(found?.names.map((name, i) => [name, i]) ?? []);
    for (const lane of lanes.values()) {
      for (const r of found?.run_lists[at.get(lane.tag) ?? -1] ?? []) {
        const run = found?.runs[r] ?? "";
        const own = map.get(run);
        if (own) own.push(lane);
        else map.set(run, [lane]);
      }
    }
    return map;
  }, [found]);
  const runs = [...byRun.keys()];
  const run = runs.find((name) => name === query.value.get("run")) ?? runs[0];
  const lanes = run === undefined ? [] : (byRun.get(run) ?? []);
  const body = { series: lanes.map((lane) => [run ?? "", lane.tag] as const), points: 1200, axis: "relative" as const };
  const { state, retry } = useResource(JSON.stringify(body), (signal) =>
    lanes.length > 0 ? postForCurves(body, signal) : Promise.resolve(null));
  const error = tags.state.value.error ?? state.value.error;
  if (error && !state.value.data) return <p class="trouble" role="alert">{error.message} <button class="link" onClick={() => { tags.retry(); retry(); }}>Try again</button></p>;
  if (!found) return <div class="view" aria-busy="true" />;
  if (run === undefined) return <Empty />;
  const zoom = query.value.get("xlim")?.split("~").map(Number) ?? [];
  const range = zoom.length === 2 && zoom.every(Number.isFinite) ? ([zoom[0]!, zoom[1]!] as const) : null;
  return (
    <div class="view hardware">
      <div class="page-bar">
        <h1>Hardware</h1>
        <span class="note">{plural(lanes.length, "quantity", "quantities")} over the time of the run</span>
        {range && <button class="link" onClick={() => setQuery({ xlim: null })}>Reset zoom</button>}
        <span class="push" />
        <Menu label={`Run: ${run}`} value={run} choices={runs.map((name) => ({ value: name, text: name }))} onPick={(name) => setQuery({ run: name, xlim: null })}>
          <span class="dim">Run</span> {run}
        </Menu>
      </div>
      {lanes.map((lane, i) => <LaneRow key={lane.tag} lane={lane} series={state.value.data?.series[i]} cursor={cursor} zoom={range} />)}
    </div>
  );
}

function Empty(): JSX.Element {
  return (
    <div class="empty">
      <h1>No hardware curves yet</h1>
      <p>This page shows processor, memory, power and temperature while a model ran: scalars below <span class="mono">hardware/</span>, such as <span class="mono">hardware/cpu/percent</span>.</p>
      <pre>{`compression-board profile --logdir runs/profile -- python evaluate.py`}</pre>
    </div>
  );
}
