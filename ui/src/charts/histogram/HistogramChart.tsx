import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { fixed, significant } from "../../base/text/format";
import { hideReadout, showReadout } from "../../widgets/readout";
import { useSize } from "../../base/dom/useSize";
import { Spikes } from "./Spikes";
import { layoutHistogram, limitLabels, type HistogramInput, type HistogramLayout, type HistogramView } from "./layout";

const LIMIT_ROOM = 80; // The width of the label "max −0.0399" in pixels.

/** A value to mark with a labelled line, such as a percentile of A or B. */
export interface HistogramMark {
  readonly side: "a" | "b";
  readonly value: number;
  readonly text: string;
}

const MARK_ROOM = 26; // The width of the label "p99" in pixels.

const SPIKE_ROW = 14;

function Marks({ marks, layout }: { marks: readonly HistogramMark[]; layout: HistogramLayout }): JSX.Element {
  const reached = { a: -Infinity, b: -Infinity };
  const below = layout.spikes.length > 0 ? SPIKE_ROW : 0; // The shares of spikes are written above the chart.
  return (
    <>
      {[...marks]
        .sort((p, q) => p.value - q.value)
        .map(({ side, value, text }) => {
          const px = layout.x(value);
          if (!(px >= layout.box.l - 1 && px <= layout.box.r + 1)) return null;
          const named = px - reached[side] >= MARK_ROOM;
          if (named) reached[side] = px;
          const y = layout.box.t + below + (side === "a" ? -4 : 8);
          return (
            <g key={`${side} ${text}`}>
              <path class={`percentile-${side}`} d={`M${Math.round(px) + 0.5} ${y + 3}V${layout.box.b}`} />
              {named && (
                <text
                  class={`ink-${side} halo`}
                  x={px + 3}
                  y={y}
                  text-anchor={px > layout.box.r - MARK_ROOM ? "end" : "start"}
                >
                  {text}
                </text>
              )}
            </g>
          );
        })}
    </>
  );
}

export function HistogramChart({
  input,
  view,
  nameA,
  nameB,
  clip,
  marks = [],
  summary,
}: {
  input: HistogramInput;
  view: HistogramView;
  nameA: string;
  nameB: string;
  /** Min and max of histogram B. They are the range of its quantizer. The chart marks both. */
  clip: readonly [number, number] | null;
  marks?: readonly HistogramMark[];
  summary: string;
}): JSX.Element {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const [at, setAt] = useState<number | null>(null);
  const layout = useMemo(() => layoutHistogram(input, view, width, height), [input, view, width, height]);
  const move = (event: PointerEvent): void => {
    if (!layout || !ref.current) return;
    const value = layout.x.invert(event.clientX - ref.current.getBoundingClientRect().left);
    let i = 0;
    while (i < input.edges.length - 2 && (input.edges[i + 1] ?? 0) <= value) i += 1;
    setAt(i);
    const show = (v: number | undefined): string => (v === undefined ? "–" : `${fixed(v, 3)} %`);
    showReadout(
      <>
        <b>
          {significant(input.edges[i] ?? 0)} … {significant(input.edges[i + 1] ?? 0)}
        </b>
        <dl>
          {layout.a && (
            <>
              <dt class="in-a">● {nameA}</dt>
              <dd>{show(layout.a[i])}</dd>
            </>
          )}
          {layout.b && (
            <>
              <dt class="in-b">◆ {view === "error" ? `${nameB} less ${nameA}` : nameB}</dt>
              <dd>{show(layout.b[i])}</dd>
            </>
          )}
        </dl>
      </>,
      event.clientX,
      event.clientY,
    );
  };
  return (
    <div
      class="histogram"
      ref={ref}
      role="img"
      aria-label={summary}
      onPointerMove={move}
      onPointerLeave={() => {
        setAt(null);
        hideReadout();
      }}
    >
      {layout && (
        <svg class="chart" height={height} aria-hidden="true">
          {layout.yTicks.map((tick) => (
            <g key={tick.text}>
              <path class="grid" d={`M${layout.box.l} ${Math.round(tick.at) + 0.5}H${layout.box.r}`} />
              <text x={layout.box.l - 6} y={tick.at + 4} text-anchor="end">
                {tick.text}
              </text>
            </g>
          ))}
          <text x={layout.box.l - 6} y={layout.box.t - 8} text-anchor="end">
            %
          </text>
          {layout.xTicks.map((tick) => (
            <text key={tick.text} x={tick.at} y={layout.box.b + 18} text-anchor="middle">
              {tick.text}
            </text>
          ))}
          {layout.areaA && <path class="area-a" d={layout.areaA} />}
          {layout.outlineB && <path class={view === "error" ? "area-b line-b" : "line-b"} d={layout.outlineB} />}
          <path class="axis" d={`M${layout.box.l} ${Math.round(layout.zero) + 0.5}H${layout.box.r}`} />
          {clip?.map((value, i) => {
            const px = layout.x(value);
            if (px < layout.box.l - 1 || px > layout.box.r + 1) return null;
            const { right, row } = limitLabels([layout.x(clip[0]), layout.x(clip[1])], layout.box, LIMIT_ROOM)[
              i === 0 ? 0 : 1
            ];
            return (
              <g key={i}>
                <path class="clip" d={`M${Math.round(px) + 0.5} ${layout.box.t - 4}V${layout.box.b + 4}`} />
                <text
                  class="ink-b halo"
                  x={px + (right ? 5 : -5)}
                  y={layout.box.t + 4 + 14 * row}
                  text-anchor={right ? "start" : "end"}
                >
                  {`${i === 0 ? "min" : "max"} ${significant(value, 3)}`}
                </text>
              </g>
            );
          })}
          <Spikes spikes={layout.spikes} box={layout.box} />
          <Marks marks={marks} layout={layout} />
          {at !== null && (
            <path
              class="crosshair"
              d={`M${Math.round(layout.x(((input.edges[at] ?? 0) + (input.edges[at + 1] ?? 0)) / 2)) + 0.5} ${layout.box.t}V${layout.box.b}`}
            />
          )}
        </svg>
      )}
    </div>
  );
}
