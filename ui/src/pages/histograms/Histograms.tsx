// Histograms of all runs: over steps, one above the other, or as percentiles.
import type { JSX } from "preact";
import { SeriesPage } from "../../parts/SeriesPage";
import { query, setQuery } from "../../state/location";
import { HistogramCard, MODES, type Mode } from "./HistogramCard";
import "./histograms.css";

export default function Histograms(): JSX.Element {
  const mode = MODES.find((m) => m.id === query.value.get("mode"))?.id ?? ("offset" satisfies Mode);
  const tools = (
    <span class="seg" role="group" aria-label="View">
      {MODES.map((m) => <button key={m.id} aria-pressed={m.id === mode} onClick={() => setQuery({ mode: m.id === "offset" ? null : m.id })}>{m.text}</button>)}
    </span>
  );
  return (
    <SeriesPage kind="histogram" title="Histograms" note=", true bins" tools={() => tools} card={(series) => <HistogramCard {...series} mode={mode} />} empty={(
      <>
        <h1>No histograms yet</h1>
        <p>This page shows how values are distributed, and how that changes over steps.</p>
        <pre>{`writer.add_histogram("conv1/weight", model.conv1.weight, step)`}</pre>
      </>
    )} />
  );
}
