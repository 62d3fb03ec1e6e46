// Pinned layers: they stay visible side by side while other layers are selected.
import type { JSX } from "preact";
import { HistogramChart } from "../../charts/histogram/HistogramChart";
import { sqnrWithUnit, type Layer } from "../../domain/layers/layers";
import { useOverlay } from "./overlay";

function Small({
  layer,
  a,
  b,
  onPick,
  onUnpin,
}: {
  layer: Layer;
  a: string;
  b: string;
  onPick: () => void;
  onUnpin: () => void;
}): JSX.Element {
  const { input, clip, error } = useOverlay(layer);
  return (
    <div class="pin">
      <div class="pin-head">
        <button class="end" title={layer.name} onClick={onPick}>
          {layer.name}
        </button>
        <span class={layer.level === "good" || layer.level === "open" ? "dim" : layer.level}>
          {layer.role === "output" ? "" : `${layer.parameter || layer.role} `}
          {sqnrWithUnit(layer)}
        </span>
        <button class="link" aria-label={`Unpin ${layer.name}`} onClick={onUnpin}>
          ✕
        </button>
      </div>
      {error ? (
        <p class="note bad">{error.message}</p>
      ) : input ? (
        <HistogramChart
          input={input}
          view="linear"
          nameA={a}
          nameB={b}
          clip={clip}
          summary={`Values of ${layer.name}: ${a} and ${b} on one axis`}
        />
      ) : (
        <div class="histogram" />
      )}
    </div>
  );
}

export function Pinned({
  layers,
  a,
  b,
  onPick,
  onUnpin,
}: {
  layers: readonly Layer[];
  a: string;
  b: string;
  onPick: (layer: Layer) => void;
  onUnpin: (layer: Layer) => void;
}): JSX.Element | null {
  if (layers.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="pins-title">
      <div class="panel-head">
        <h2 id="pins-title">Pinned</h2>
        <span class="note">
          <span class="in-a">● {a}</span>, <span class="in-b">◆ {b}</span>; each layer has an axis of its own
        </span>
      </div>
      <div class="pins">
        {layers.map((layer) => (
          <Small
            key={layer.key}
            layer={layer}
            a={a}
            b={b}
            onPick={() => onPick(layer)}
            onUnpin={() => onUnpin(layer)}
          />
        ))}
      </div>
    </section>
  );
}
