// The running memory below the graph, with marks at the node with the peak and at the selected node.
import { memoryShape } from "../../api/graphs";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { getJson, type Params } from "../../api/client";
import { hideReadout, showReadout } from "../../widgets/readout";
import { useSize } from "../../base/dom/useSize";
import { bytes, plural, significant } from "../../base/text/format";
import { cutMiddle } from "../../base/text/middle";
import { useResource } from "../../domain/live/resource";
import { layoutMemory, operationAt, unitSize } from "./memory_layout";

const MAX_NAME = 48;

export function MemoryCurve({
  source,
  version,
  selected,
  onPick,
}: {
  source: Params;
  version: string;
  selected: string | null;
  onPick: (path: string) => void;
}): JSX.Element | null {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const { state } = useResource(
    JSON.stringify([source, version]),
    (signal) => getJson(memoryShape, "graphs/memory", source, signal),
    { live: false },
  );
  const { data } = state.value;
  const layout = useMemo(() => (data ? layoutMemory(data, width, height) : null), [data, width, height]);
  if (!data) return null;
  const sides = (["a", "b"] as const).flatMap((id) => (data[id] ? [{ id, side: data[id] }] : []));
  const most = Math.max(0, ...sides.map(({ side }) => side.peak_bytes));
  if (most === 0) {
    return (
      <section class="panel memory" aria-labelledby="memory-title">
        <div class="panel-head">
          <h2 id="memory-title">Running memory</h2>
          <span class="note">not available, because this graph does not contain the output shapes of its nodes</span>
        </div>
      </section>
    );
  }
  const unknown = sides.reduce((sum, { side }) => sum + side.unknown_shapes, 0);
  // One name for each graph, or one name for both if they are equal.
  const peaks = [...new Set(sides.map(({ side }) => side.peak_path))];
  const at = sides.flatMap(({ id, side }) => {
    const i = selected === null ? -1 : side.paths.indexOf(selected);
    return i < 0 ? [] : [{ id, place: side.places[i] ?? 0 }];
  })[0];
  const pointed = (event: MouseEvent): { side: (typeof sides)[number]; i: number } | null => {
    const side = sides.at(-1);
    if (!layout || !side || !ref.current) return null;
    const x = event.clientX - ref.current.getBoundingClientRect().left;
    if (x < layout.box.l || x > layout.box.r) return null;
    return { side, i: operationAt(side.side, layout.x[side.id].invert(x)) };
  };
  return (
    <section class="panel memory" aria-labelledby="memory-title">
      <div class="panel-head">
        <h2 id="memory-title">Running memory</h2>
        <span class="note">
          memory of the activations in use at each node, {layout?.unit ?? "bytes"}, for one sample; most at{" "}
          {peaks.map((path, i) => (
            <span key={path}>
              {i > 0 && " and "}
              <span class="mono" title={path}>
                {cutMiddle(path, MAX_NAME)}
              </span>
            </span>
          ))}
          {unknown > 0 ? `; ${plural(unknown, "operation")} without a shape left out` : ""}
        </span>
      </div>
      <div
        class="memory-plot"
        ref={ref}
        onPointerMove={(event) => {
          const hit = pointed(event);
          if (!hit) return hideReadout();
          showReadout(
            <>
              <b class="mono">{hit.side.side.paths[hit.i]}</b>
              <br />
              {bytes(hit.side.side.bytes[hit.i] ?? 0)} alive
            </>,
            event.clientX,
            event.clientY,
          );
        }}
        onPointerLeave={hideReadout}
        onClick={(event) => {
          const hit = pointed(event);
          if (hit) onPick(hit.side.side.paths[hit.i] ?? "");
        }}
      >
        {layout && (
          <svg
            class="chart"
            height={height}
            role="img"
            aria-label={sides
              .map(
                ({ id, side }) => `${id.toUpperCase()} needs ${bytes(side.peak_bytes)} at most, at ${side.peak_path}`,
              )
              .join("; ")}
          >
            {layout.ticks.map((t) => (
              <g key={t}>
                <path
                  class={t === 0 ? "axis" : "grid"}
                  d={`M${layout.box.l} ${Math.round(layout.y(t)) + 0.5}H${layout.box.r}`}
                />
                <text x={layout.box.l - 8} y={layout.y(t) + 4} text-anchor="end">
                  {significant(t / unitSize(layout.unit), 3)}
                </text>
              </g>
            ))}
            {layout.area && <path class="area-a plain" d={layout.area} />}
            {layout.lines.a && <path class="line-a" d={layout.lines.a} />}
            {layout.lines.b && <path class="line-b" d={layout.lines.b} />}
            {sides.map(({ id, side }, i) => (
              <text
                key={id}
                class={`ink-${id}`}
                x={layout.box.r + 8}
                y={layout.box.t + 10 + i * 15}
              >{`${id === "a" ? "●" : "◆"} peak ${bytes(side.peak_bytes)}`}</text>
            ))}
            {at && (
              <path
                class="rule"
                d={`M${Math.round(layout.x[at.id](at.place)) + 0.5} ${layout.box.t}V${layout.box.b}`}
              />
            )}
            {at && selected !== null && (
              <text
                class="name halo"
                x={Math.max(
                  layout.box.l + selected.length * 3,
                  Math.min(layout.box.r - selected.length * 3, layout.x[at.id](at.place)),
                )}
                y={height - 4}
                text-anchor="middle"
              >
                {selected}
              </text>
            )}
          </svg>
        )}
      </div>
    </section>
  );
}
