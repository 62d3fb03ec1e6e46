// Histograms: either of each run over its steps, or of all runs at one step on one axis.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { limitsText, readLimits } from "../../base/text/limits";
import { EmptyPage } from "../../domain/live/EmptyPage";
import { SeriesPage, type Series } from "../../domain/runs/SeriesPage";
import { Snippet } from "../../domain/live/Snippet";
import { useSharedStep } from "../../domain/runs/useSharedStep";
import { useKeys } from "../../base/keys";
import { query, setQuery } from "../../base/address";
import { HistogramCard, MODES, RunsCard, type Look, type Mode } from "./HistogramCard";
import "./histograms.css";

function lookOf(params: URLSearchParams, step: number | null): Look {
  return {
    mode: MODES.find((mode) => mode.id === params.get("mode"))?.id ?? ("offset" satisfies Mode),
    logY: params.has("ylog"),
    table: params.has("table"),
    step,
  };
}

const BARS = "Bars have one width, so that height is density. A cut bar has its share written at it.";

/** A note that explains each view of the page. */
const NOTES: Readonly<Record<Mode, string>> = {
  offset: BARS,
  overlay: BARS,
  heatmap: "The stronger the colour, the more values there are per width.",
  percentiles: "The line is the median; around it lie 38, 68, 87 and 100 % of the values.",
  runs: "Drag over a chart to count a part of it in finer bins.",
};

/** One series per tag, because its card shows all runs. */
const onePerTag = (all: readonly Series[]): Series[] => [
  ...new Map(all.map((series) => [series.tag, series])).values(),
];

export default function Histograms(): JSX.Element {
  const { step, slider } = useSharedStep();
  const look = lookOf(query.value, step);
  const together = look.mode === "runs";
  const toggle = (key: string) => (): void => setQuery({ [key]: query.value.has(key) ? null : "1" });
  useKeys([
    { key: "l", does: "Log y", run: toggle("ylog") },
    { key: "z", does: "Reset zoom", run: () => setQuery({ xlim: null }) },
  ]);
  const limitsQuery = query.value.get("xlim");
  const limits = useMemo(() => readLimits(limitsQuery), [limitsQuery]);
  const tools = (
    <>
      <span class="seg" role="group" aria-label="View">
        {MODES.map((m) => (
          <button
            key={m.id}
            aria-pressed={m.id === look.mode}
            onClick={() => setQuery({ mode: m.id === "offset" ? null : m.id })}
          >
            {m.text}
          </button>
        ))}
      </span>
      <button class="link" aria-pressed={look.table} onClick={toggle("table")}>
        {look.table ? "Charts" : "Table"}
      </button>
    </>
  );
  const knobs = (all: readonly Series[]): JSX.Element => (
    <>
      <label class="label">
        Log y <input type="checkbox" checked={look.logY} onChange={toggle("ylog")} />
      </label>
      {together && slider(all)}
      <p class="note">{NOTES[look.mode]}</p>
    </>
  );
  const card = (series: Series, all: readonly Series[]): JSX.Element => {
    if (!together) return <HistogramCard run={series.run} tag={series.tag} look={look} />;
    const [from, to] = limits.get(series.tag) ?? [null, null];
    return (
      <RunsCard
        tag={series.tag}
        look={look}
        range={from !== null && to !== null && from < to ? [from, to] : null}
        runs={all.filter(({ tag }) => tag === series.tag).map(({ run }) => run)}
        onRange={(part) =>
          setQuery({ xlim: limitsText(new Map([...limits, [series.tag, part ?? [null, null]]])) }, "replace")
        }
      />
    );
  };
  return (
    <SeriesPage
      kind="histogram"
      title="Histograms"
      note={together ? ", same bars for all runs" : ""}
      unit={together ? "tag" : "series"}
      tools={() => tools}
      knobs={knobs}
      pick={together ? onePerTag : (all) => all}
      card={card}
      empty={
        <EmptyPage
          title="No histograms yet"
          about="This page shows how values are distributed, how that changes over steps, and how it differs between runs."
          lookedFor="histograms"
        >
          <Snippet lines={["writer.add_histogram(", `    "conv1/weight", weights, step)`]} />
        </EmptyPage>
      }
    />
  );
}
