// Histograms of all runs: over steps, one above the other, or as percentiles.
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { getJson } from "../../api/client";
import type { Tags } from "../../api/types";
import { plural } from "../../lib/format";
import { runsOfTags } from "../../lib/runs_of_tags";
import { allRuns, RunList, shownRuns } from "../../parts/RunList";
import { query, setQuery } from "../../state/location";
import { useResource } from "../../state/resource";
import { HistogramCard, MODES, type Mode } from "./HistogramCard";
import "./histograms.css";
import "../scalars/scalars.css";

const SHOWN = 60;

export default function Histograms(): JSX.Element {
  const { state, retry } = useResource("histogram-tags", (signal) => getJson<Tags>("tags", { kind: "histogram" }, signal));
  const { data, error } = state.value;
  useEffect(() => {
    if (data) allRuns.value = runsOfTags(data);
  }, [data]);
  const wanted = query.value.get("tag") ?? "";
  const mode = MODES.find((m) => m.id === query.value.get("mode"))?.id ?? ("offset" satisfies Mode);
  const cards = useMemo(() => {
    if (!data) return [];
    const matches = (name: string): boolean => {
      try { return new RegExp(wanted, "i").test(name); } catch { return name.includes(wanted); }
    };
    return data.names.flatMap((tag, i) => (matches(tag) ? (data.run_lists[i] ?? []).map((r) => ({ tag, run: data.runs[r] ?? "" })) : []));
  }, [data, wanted]);
  if (error && !data) return <p class="trouble" role="alert">{error.message} <button class="link" onClick={retry}>Try again</button></p>;
  if (!data) return <div class="view" aria-busy="true" />;
  if (data.names.length === 0) return <Empty />;
  const runs = new Set(shownRuns.value);
  const visible = cards.filter((card) => runs.has(card.run));
  const most = Number(query.value.get("most") ?? SHOWN);
  return (
    <div class="view scalars">
      <div class="side"><RunList /></div>
      <div class="main-column">
        <div class="page-bar">
          <h1>Histograms</h1>
          <span class="note">{plural(data.names.length, "tag")}, true bins</span>
          <span class="seg" role="group" aria-label="View">
            {MODES.map((m) => <button key={m.id} aria-pressed={m.id === mode} onClick={() => setQuery({ mode: m.id === "offset" ? null : m.id })}>{m.text}</button>)}
          </span>
          <input class="field push" type="search" aria-label="Filter tags" placeholder="Filter tags: regular expression" value={wanted}
            onInput={(event) => setQuery({ tag: event.currentTarget.value }, "replace")} />
        </div>
        {visible.length === 0 && <p class="panel note">Nothing matches. <button class="link" onClick={() => setQuery({ tag: null, hide: null, only: null, runs: null })}>Clear the filters</button></p>}
        <div class="cards">
          {visible.slice(0, most).map((card) => <HistogramCard key={`${card.run}\u0000${card.tag}`} {...card} mode={mode} />)}
        </div>
        {visible.length > most && <button class="link more" onClick={() => setQuery({ most: String(most + 60) }, "replace")}>Show more of {visible.length}</button>}
      </div>
    </div>
  );
}

function Empty(): JSX.Element {
  return (
    <div class="empty">
      <h1>No histograms yet</h1>
      <p>This page shows how values are distributed, and how that changes over steps.</p>
      <pre>{`writer.add_histogram("conv1/weight", model.conv1.weight, step)`}</pre>
    </div>
  );
}
