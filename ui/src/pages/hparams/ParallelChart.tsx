import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { hideReadout, showReadout } from "../../widgets/readout";
import { useSize } from "../../base/dom/useSize";
import { cutMiddle } from "../../base/text/middle";
import { cellText, type Column, type Filter, type Filters, type Trials } from "./data";
import {
  axisTitles,
  filterOf,
  heatOf,
  layoutParallel,
  type AxisLayout,
  type AxisView,
  type ParallelLayout,
} from "./parallel_layout";

const [GLYPH, BOLD] = [7.2, 7.6]; // The width of a character in pixels, for wide fonts.

/** The part of an axis that passes its filter, in pixels. */
function keptPart(axis: AxisLayout, filter: Filter, layout: ParallelLayout): { top: number; bottom: number } | null {
  const places =
    "values" in filter
      ? axis.column.values
          .filter((v) => v !== null && filter.values.includes(String(v)))
          .flatMap((v) => axis.y(v) ?? [])
      : [filter.min, filter.max].map((v) =>
          Number.isFinite(v) ? (axis.y(v) ?? NaN) : v < 0 ? layout.bottom : layout.top,
        );
  const finite = places.filter(Number.isFinite);
  if (finite.length === 0) return null;
  const room = "values" in filter ? 8 : 0;
  return {
    top: Math.max(layout.top - 6, Math.min(...finite) - room),
    bottom: Math.min(layout.bottom + 6, Math.max(...finite) + room),
  };
}

export function ParallelChart({
  trials,
  columns,
  colourBy,
  filters,
  view,
  hot,
  onFilter,
  onFlip,
  onLog,
  onMove,
  onOpen,
}: {
  trials: Trials;
  columns: readonly Column[];
  colourBy: Column | undefined;
  filters: Filters;
  view: AxisView;
  hot: Signal<number | null>;
  onFilter: (id: string, filter: Filter | null) => void;
  onFlip: (id: string) => void;
  onLog: (id: string) => void;
  onMove: (id: string, by: number) => void;
  onOpen: (index: number) => void;
}): JSX.Element {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const [drag, setDrag] = useState<{ id: string; from: number; to: number } | null>(null);
  const layout = useMemo(() => layoutParallel(columns, width, height, view), [columns, width, height, view]);
  const heats = useMemo(() => heatOf(colourBy), [colourBy]);
  const titles = useMemo(() => axisTitles(columns), [columns]);
  const apart = (layout?.axes[1]?.x ?? width) - (layout?.axes[0]?.x ?? 0);
  const charactersOf = (glyph: number): number => Math.max(6, Math.floor((apart - 10) / glyph));
  // The number of characters that fit between two axes.
  const [room, boldRoom] = [charactersOf(GLYPH), charactersOf(BOLD)];
  const point = (index: number, event: PointerEvent): void => {
    hot.value = index;
    showReadout(
      <>
        <b>{trials.names[index] || trials.runs[index]?.[0]}</b>
        <dl class="two">
          {columns.map((column) => (
            <>
              <dt>{column.label}</dt>
              <dd>{cellText(column.values[index] ?? null)}</dd>
            </>
          ))}
        </dl>
      </>,
      event.clientX,
      event.clientY,
    );
  };
  const leave = (): void => {
    hot.value = null;
    hideReadout();
  };
  const heightOf = (event: PointerEvent): number => event.clientY - (ref.current?.getBoundingClientRect().top ?? 0);
  const end = (axis: AxisLayout): void => {
    if (!drag) return;
    setDrag(null);
    onFilter(axis.column.id, Math.abs(drag.to - drag.from) > 4 ? filterOf(axis, drag.from, drag.to) : null);
  };
  return (
    <div class="parallel-room">
      <div class="parallel" ref={ref} style={{ minWidth: `calc(${columns.length} * var(--axis))` }}>
        {layout && (
          <svg
            class={`chart${hot.value === null ? "" : " has-hot"}`}
            width={width}
            height={height}
            role="group"
            aria-label={`${trials.names.length} trials over ${columns.map((c) => c.label).join(", ")}`}
          >
            <g>
              {layout.lines.map(({ path, index }) => (
                <path
                  key={index}
                  class={`trial-line ${heats[index] ?? "heat-none"}${hot.value === index ? " hot" : ""}`}
                  d={path}
                  onPointerMove={(event) => point(index, event)}
                  onPointerLeave={leave}
                  onClick={() => onOpen(index)}
                />
              ))}
            </g>
            {layout.axes.map((axis, i) => {
              const { id, label, isMetric } = axis.column;
              const filter = filters.get(id);
              const kept =
                drag?.id === id
                  ? { top: Math.min(drag.from, drag.to), bottom: Math.max(drag.from, drag.to) }
                  : filter
                    ? keptPart(axis, filter, layout)
                    : null;
              const text = cutMiddle(titles[i] ?? label, isMetric ? boldRoom : room);
              const half = (text.length * (isMetric ? BOLD : GLYPH)) / 2;
              // The title is centred over its axis, if there is enough space.
              const labelX = Math.max(half, Math.min(width - half, axis.x));
              return (
                <g key={id}>
                  <path class="axis strong" d={`M${Math.round(axis.x) + 0.5} ${layout.top}V${layout.bottom}`} />
                  {axis.ticks.map((tick) => (
                    <text key={tick.value} class="halo" x={axis.x + 6} y={tick.at + 4}>
                      {cutMiddle(tick.text, room)}
                    </text>
                  ))}
                  {kept && (
                    <rect
                      class="kept"
                      x={axis.x - 6}
                      y={kept.top}
                      width="12"
                      height={Math.max(2, kept.bottom - kept.top)}
                    />
                  )}
                  <rect
                    class="axis-field"
                    x={axis.x - 12}
                    y={layout.top - 6}
                    width="24"
                    height={layout.bottom - layout.top + 12}
                    onPointerDown={(event) => {
                      if (event.button !== 0) return;
                      event.currentTarget.setPointerCapture(event.pointerId);
                      setDrag({ id, from: heightOf(event), to: heightOf(event) });
                    }}
                    onPointerMove={(event) => {
                      if (drag?.id === id) setDrag({ ...drag, to: heightOf(event) });
                    }}
                    onPointerUp={() => end(axis)}
                    onPointerCancel={() => setDrag(null)}
                  >
                    <title>{`Drag to keep a part of ${label}; click to keep all`}</title>
                  </rect>
                  <text x={labelX} y={16} text-anchor="middle" class={isMetric ? "name strong halo" : "name halo"}>
                    <title>{axis.column.description || label}</title>
                    {text}
                  </text>
                </g>
              );
            })}
          </svg>
        )}
        {layout?.axes.map((axis, i) => (
          <span key={axis.column.id} class="axis-tools" style={{ left: `${axis.x}px` }}>
            {i > 0 && (
              <button
                class="link"
                aria-label={`Move ${axis.column.label} to the left`}
                title="Move left"
                onClick={() => onMove(axis.column.id, -1)}
              >
                ‹
              </button>
            )}
            <button
              class="link"
              aria-pressed={view.flip.has(axis.column.id)}
              aria-label={`Turn ${axis.column.label} over`}
              title="Turn over"
              onClick={() => onFlip(axis.column.id)}
            >
              ⇅
            </button>
            {axis.canLog && (
              <button
                class="link"
                aria-pressed={view.log.has(axis.column.id)}
                aria-label={`log scale of ${axis.column.label}`}
                onClick={() => onLog(axis.column.id)}
              >
                log
              </button>
            )}
            {i < layout.axes.length - 1 && (
              <button
                class="link"
                aria-label={`Move ${axis.column.label} to the right`}
                title="Move right"
                onClick={() => onMove(axis.column.id, 1)}
              >
                ›
              </button>
            )}
          </span>
        ))}
      </div>
    </div>
  );
}
