// Histograms: of each run over its steps, or of all runs at one step on the same axis.
import type { JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { count } from "../../lib/format";
import { limitsText, readLimits } from "../../lib/limits";
import { extent } from "../../lib/scale";
import { SeriesPage, type Series } from "../../parts/SeriesPage";
import { useKeys } from "../../shell/keys";
import { query, setQuery } from "../../state/location";
import { HistogramCard, MODES, RunsCard, type Look, type Mode } from "./HistogramCard";
import "./histograms.css";

function lookOf(params: URLSearchParams): Look {
  const step = Number(params.get("step") ?? NaN);
  return {
    mode: MODES.find((mode) => mode.id === params.get("mode"))?.id ?? ("offset" satisfies Mode),
    logY: params.has("ylog"), table: params.has("table"), step: Number.isFinite(step) ? step : null,
  };
}

/** The first series of each tag: in one card are all its runs. */
const onePerTag = (all: readonly Series[]): Series[] => [...new Map(all.map((series) => [series.tag, series])).values()];

const KEY_STEPS = 20; // So many presses lead from the first step to the last.

export default function Histograms(): JSX.Element {
  const look = lookOf(query.value);
  const range = useRef<readonly [number, number] | null>(null);
  const together = look.mode === "runs";
  const setStep = (step: number): void => {
    const ends = range.current;
    if (ends) setQuery({ step: step >= ends[1] ? null : String(Math.max(ends[0], Math.round(step))) }, "replace");
  };
  const move = (by: number) => (): void => {
    const ends = range.current;
    if (ends) setStep((lookOf(query.value).step ?? ends[1]) + by * Math.max(1, (ends[1] - ends[0]) / KEY_STEPS));
  };
  const toggle = (key: string) => (): void => setQuery({ [key]: query.value.has(key) ? null : "1" });
  useKeys([
    { key: "l", does: "Log y", run: toggle("ylog") },
    { key: "arrowleft", does: "Earlier step of all runs", run: move(-1) },
    { key: "arrowright", does: "Later step of all runs", run: move(1) },
    { key: "shift-arrowleft", does: "Ten times as far back", run: move(-10) },
    { key: "shift-arrowright", does: "Ten times as far on", run: move(10) },
    { key: "z", does: "Reset zoom", run: () => setQuery({ xlim: null }) },
  ]);
  const limitsQuery = query.value.get("xlim");
  const limits = useMemo(() => readLimits(limitsQuery), [limitsQuery]);
  const tools = (
    <>
      <span class="seg" role="group" aria-label="View">
        {MODES.map((m) => <button key={m.id} aria-pressed={m.id === look.mode} onClick={() => setQuery({ mode: m.id === "offset" ? null : m.id })}>{m.text}</button>)}
      </span>
      <button class="link" aria-pressed={look.table} onClick={toggle("table")}>{look.table ? "Charts" : "Table"}</button>
    </>
  );
  const knobs = (all: readonly Series[]): JSX.Element => {
    range.current = extent(all.flatMap(({ steps }) => steps));
    const ends = range.current;
    return (
      <>
        <label class="label">Log y <input type="checkbox" checked={look.logY} onChange={toggle("ylog")} /></label>
        {together && ends && ends[1] > ends[0] && (
          <label class="label slider">All at step <output>{look.step === null ? "newest" : count(look.step)}</output>
            <input type="range" min={ends[0]} max={ends[1]} value={look.step ?? ends[1]} aria-label="Step of all cards" onInput={(event) => setStep(Number(event.currentTarget.value))} />
          </label>
        )}
        <p class="note">{together ? "Drag over a chart to count a part of it in finer bins." : "Bins are those that were logged; a wide one is low, not full."}</p>
      </>
    );
  };
  const card = (series: Series, all: readonly Series[]): JSX.Element => {
    if (!together) return <HistogramCard run={series.run} tag={series.tag} look={look} />;
    const [from, to] = limits.get(series.tag) ?? [null, null];
    return (
      <RunsCard tag={series.tag} look={look} range={from !== null && to !== null && from < to ? [from, to] : null}
        runs={all.filter(({ tag }) => tag === series.tag).map(({ run }) => run)}
        onRange={(part) => setQuery({ xlim: limitsText(new Map([...limits, [series.tag, part ?? [null, null]]])) }, "replace")} />
    );
  };
  return (
    <SeriesPage kind="histogram" title="Histograms" note={together ? " of several runs, in the same bins" : ", true bins"} unit={together ? "tag" : "series"} tools={() => tools} knobs={knobs} pick={together ? onePerTag : (all) => all} card={card} empty={(
      <>
        <h1>No histograms yet</h1>
        <p>This page shows how values are distributed, how that changes over steps, and how it differs between runs.</p>
        <pre>{`writer.add_histogram("conv1/weight", model.conv1.weight, step)`}</pre>
      </>
    )} />
  );
}
