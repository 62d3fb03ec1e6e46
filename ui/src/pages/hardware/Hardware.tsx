// Hardware usage: one lane (chart) per quantity, all on one time axis, with the phases of the program in the
// background.
import { type Tags, tagsShape } from "../../api/board";
import { hardwareShape } from "../../api/compression/panels";
import { useSignal, type Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { getJson } from "../../api/client";
import { postForCurves } from "../../api/curves";
import type { Curve } from "../../api/series";
import { nearestIndex } from "../../charts/line/layout";
import { LineChart } from "../../charts/line/LineChart";
import { decimalsOfColumn, duration, fixedInGroups, plural, significant } from "../../base/text/format";
import { timeTicks } from "../../base/math/scale";
import { EmptyPage } from "../../domain/live/EmptyPage";
import { shellFolder } from "../../domain/live/Snippet";
import { useKeys } from "../../base/keys";
import { Menu } from "../../widgets/Menu";
import { query, setQuery } from "../../base/address";
import { useResource } from "../../domain/live/resource";
import { lanesOf, type Lane } from "./lanes";
import { PhaseTable } from "./PhaseTable";
import { during, isStill, phasesOf, type Phase, type Samples } from "./phases";
import "../../domain/runs/cards.css";
import "./hardware.css";

type Range = readonly [number, number];

// All lanes have the same colour, because they show the same machine.
const LOOK = { colour: 1, dash: [] } as const;

const timeText = (x: number): string => (x === 0 ? "0" : duration(x));

/** The position of a time on the axis, in per cent. */
const placeIn =
  ([from, to]: Range) =>
  (x: number): number =>
    Math.min(100, Math.max(0, ((x - from) / (to - from)) * 100));

function Bands({ phases, range, named }: { phases: readonly Phase[]; range: Range; named: boolean }): JSX.Element {
  const place = placeIn(range);
  return (
    <div class={`bands${named ? " named" : ""}`} aria-hidden={!named}>
      {phases.map((phase, i) => {
        const [left, right] = [place(phase.from), place(phase.to)];
        if (right <= left) return null;
        // The name of a phase is hidden if its band is too narrow; the table below has all names.
        const style = { left: `${left}%`, width: `${right - left}%` };
        return named ? (
          <button
            key={i}
            class={`band tint-${i % 2}`}
            style={style}
            title={`${phase.name}, ${duration(phase.to - phase.from)}: click to zoom to this phase`}
            onClick={() => zoomTo([phase.from, phase.to])}
          >
            <span>{phase.name}</span>
          </button>
        ) : (
          <i key={i} class={`band tint-${i % 2}`} style={style} />
        );
      })}
    </div>
  );
}

function zoomTo(range: Range | null): void {
  setQuery({ xlim: range ? range.map((x) => Number(x.toFixed(3))).join("~") : null }, "replace");
}

/** The value at the pointer, or the last value. The text takes the same space in both cases. */
function AtCursor({
  samples: { seconds, values },
  cursor,
  text,
}: {
  samples: Samples;
  cursor: Signal<number | null>;
  text: (value: number) => string;
}): JSX.Element {
  const x = cursor.value;
  const i = x === null ? values.length - 1 : nearestIndex(seconds, x);
  return (
    <div>
      <dt>{x === null ? "last" : timeText(seconds[i] ?? 0)}</dt>
      <dd>{text(values[i] ?? NaN)}</dd>
    </div>
  );
}

function LaneRow({
  samples,
  error,
  cursor,
  range,
  phases,
}: {
  samples: Samples;
  error: string | undefined;
  cursor: Signal<number | null>;
  range: Range;
  phases: readonly Phase[];
}): JSX.Element {
  const { lane, seconds, values } = samples;
  const lines = useMemo(
    () => (seconds.length > 0 ? [{ name: lane.name, look: LOOK, xs: seconds, ys: values, smooth: null }] : []),
    [samples],
  );
  // Statistics of the visible time range. If the user has zoomed to a phase, they are statistics of this phase.
  const facts = useMemo(
    () => during(samples, { name: "", from: range[0], to: range[1] + 1e-9 }),
    [samples, range[0], range[1]],
  );
  // The y axis of a percentage ends at 100 or above, so that charts are comparable.
  const yRange = useMemo((): readonly [number, number | null] | null => {
    if (lane.unit === "%" && facts) return [0, Math.max(100, facts.peak)];
    // The y axis begins at 0 if the min is 0.
    return facts && facts.least === 0 ? [0, facts.peak === 0 ? 1 : null] : null;
  }, [lane.unit, facts]);
  const decimals = facts ? decimalsOfColumn([facts.mean, facts.p95, facts.peak], 3) : 0;
  const text = (value: number): string => `${fixedInGroups(value, decimals)} ${lane.unit}`;
  return (
    <section class="lane" aria-label={lane.name}>
      <div>
        <h2>
          {lane.name}
          {lane.unit ? <span class="dim">, {lane.unit}</span> : ""}
        </h2>
        {facts && (
          <dl class="lane-facts">
            <div>
              <dt>mean</dt>
              <dd>{text(facts.mean)}</dd>
            </div>
            <div>
              <dt>p95</dt>
              <dd>{text(facts.p95)}</dd>
            </div>
            <div>
              <dt>peak</dt>
              <dd>{text(facts.peak)}</dd>
            </div>
            <AtCursor samples={samples} cursor={cursor} text={text} />
            {lane.unit === "W" && (
              <div>
                <dt>energy</dt>
                <dd>{significant(facts.area, 3)} J</dd>
              </div>
            )}
          </dl>
        )}
        {error && <p class="note bad">{error}</p>}
      </div>
      <div class="lane-plot">
        <Bands phases={phases} range={range} named={false} />
        <LineChart
          lines={lines}
          cursor={cursor}
          logX={false}
          logY={false}
          clipOutliers={false}
          xRange={range}
          yRange={yRange}
          xText={timeText}
          xTicks={timeTicks}
          summary={
            facts
              ? `${lane.name}: mean ${text(facts.mean)}, 95th percentile ${text(facts.p95)}, peak ${text(facts.peak)}`
              : lane.name
          }
          onZoom={zoomTo}
        />
      </div>
    </section>
  );
}

/** The lanes of each run. */
function lanesByRun(found: Tags | null): Map<string, Lane[]> {
  const map = new Map<string, Lane[]>();
  const at = new Map(found?.names.map((name, i) => [name, i]) ?? []);
  for (const lane of lanesOf(found?.names ?? [])) {
    for (const r of found?.run_lists[at.get(lane.tag) ?? -1] ?? []) {
      const run = found?.runs[r] ?? "";
      const own = map.get(run);
      if (own) own.push(lane);
      else map.set(run, [lane]);
    }
  }
  return map;
}

/** All curves begin at time 0, although rates can be computed only from the second measurement on. */
function onOneAxis(
  lanes: readonly Lane[],
  curves: readonly Curve[],
): { samples: Samples[]; start: number; end: number } {
  const times = curves.map((curve) => curve.wallTimes());
  const start = Math.min(...times.flatMap((t) => (t.length > 0 ? [t[0]!] : [])));
  const end = Math.max(...times.flatMap((t) => (t.length > 0 ? [t[t.length - 1]!] : [])));
  const samples = lanes.map((lane, i) => ({
    lane,
    seconds: Float64Array.from(times[i] ?? [], (t) => t - start),
    values: curves[i]?.values ?? [],
  }));
  return { samples, start, end };
}

export default function Hardware(): JSX.Element {
  const tags = useResource("hardware-tags", (signal) => getJson(tagsShape, "tags", { kind: "scalar" }, signal));
  const cursor = useSignal<number | null>(null);
  const found = tags.state.value.data;
  const byRun = useMemo(() => lanesByRun(found), [found]);
  const runs = [...byRun.keys()];
  const run = runs.find((name) => name === query.value.get("run")) ?? runs[0];
  const lanes = run === undefined ? [] : (byRun.get(run) ?? []);
  const body = { series: lanes.map((lane) => [run ?? "", lane.tag] as const), points: 1200, axis: "relative" as const };
  const { state, retry } = useResource(JSON.stringify(body), (signal) =>
    lanes.length > 0 ? postForCurves(body, signal) : Promise.resolve(null),
  );
  const around = useResource(`phases ${run}`, (signal) =>
    run === undefined ? Promise.resolve(null) : getJson(hardwareShape, "hardware", { run }, signal),
  ).state.value.data;
  const { samples, start, end } = useMemo(
    () => onOneAxis(lanes, state.value.data?.series ?? []),
    [state.value.data, run],
  );
  const phases = useMemo(
    () => (around && run !== undefined && Number.isFinite(start) ? phasesOf(around, run, start, end) : []),
    [around, run, start, end],
  );
  const step = (by: number) => (): void => {
    const limits = query.value.get("xlim");
    const at = phases.findIndex(
      (phase) => limits !== null && Math.abs(phase.from - Number(limits.split("~")[0])) < 0.01,
    );
    const next = phases[at < 0 ? (by > 0 ? 0 : phases.length - 1) : Math.max(0, Math.min(phases.length - 1, at + by))];
    if (next) zoomTo([next.from, next.to]);
  };
  useKeys([
    { key: "z", does: "Reset the zoom", run: () => zoomTo(null) },
    { key: "]", does: "Next phase", run: step(1) },
    { key: "[", does: "Previous phase", run: step(-1) },
  ]);
  const error = tags.state.value.error ?? state.value.error;
  if (error && !state.value.data)
    return (
      <p class="trouble" role="alert">
        {error.message}{" "}
        <button
          class="link"
          onClick={() => {
            tags.retry();
            retry();
          }}
        >
          Try again
        </button>
      </p>
    );
  if (!found || (run !== undefined && !state.value.data)) return <div class="view" aria-busy="true" />;
  if (run === undefined) return <Empty />;
  const zoom = query.value.get("xlim")?.split("~").map(Number) ?? [];
  const zoomed = zoom.length === 2 && zoom.every(Number.isFinite) && zoom[0]! < zoom[1]!;
  const range: Range = zoomed
    ? [zoom[0]!, zoom[1]!]
    : [0, Number.isFinite(end - start) && end > start ? end - start : 1];
  const still = samples.filter(isStill);
  const moving = samples.filter((one) => !still.includes(one));
  const picked = phases.find((phase) => zoomed && Math.abs(phase.from - zoom[0]!) < 0.01) ?? null;
  const device = around?.devices.texts[0];
  return (
    <div class="view hardware">
      <div class="page-bar">
        <h1>Hardware</h1>
        <span class="note">
          {plural(moving.length, "quantity", "quantities")} over {duration(Math.max(0, end - start))}
          {device ? `, ${device.split("\n")[0]}` : ""}
        </span>
        {zoomed && (
          <button class="link" title="Reset the zoom (z)" onClick={() => zoomTo(null)}>
            Reset zoom
          </button>
        )}
        <span class="push" />
        <Menu
          label={`Run: ${run}`}
          value={run}
          choices={runs.map((name) => ({ value: name, text: name }))}
          onPick={(name) => setQuery({ run: name, xlim: null })}
        >
          <span class="dim">Run</span> {run}
        </Menu>
      </div>
      {phases.length > 0 && (
        <section class="lane phase-lane" aria-label="Phases">
          <div>
            <h2>Phases</h2>
          </div>
          <div class="lane-plot">
            <Bands phases={phases} range={range} named />
          </div>
        </section>
      )}
      {moving.map((one) => (
        <LaneRow
          key={one.lane.tag}
          samples={one}
          error={state.value.data?.series[samples.indexOf(one)]?.error?.message}
          cursor={cursor}
          range={range}
          phases={phases}
        />
      ))}
      {still.length > 0 && (
        <p class="note still">
          Constant:{" "}
          {still
            .map(({ lane, values }) =>
              `${lane.name} ${values.length > 0 ? `${significant(values[0] ?? NaN, 3)} ${lane.unit}` : "without a sample"}`.trim(),
            )
            .join(", ")}
          .
        </p>
      )}
      {phases.length > 0 && (
        <PhaseTable phases={phases} lanes={moving} picked={picked} onPick={(phase) => zoomTo([phase.from, phase.to])} />
      )}
    </div>
  );
}

function Empty(): JSX.Element {
  return (
    <EmptyPage
      title="No hardware curves yet"
      about="This page shows the use of processor and memory, the power and the temperature while a model ran, on one time axis, and the cost of each phase of the program."
      lookedFor={
        <>
          scalars below <span class="mono">hardware/</span>, such as <span class="mono">hardware/cpu/percent</span>
        </>
      }
    >
      <p>Run a program and log what the machine does meanwhile:</p>
      <pre>{`compression-board profile \\
    --logdir ${shellFolder("/profile")} -- python evaluate.py`}</pre>
    </EmptyPage>
  );
}
