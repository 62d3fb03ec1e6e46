// A scatter plot of two columns. A point has the same colour as the line and the row of its trial.
import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { hideReadout, showReadout } from "../../widgets/readout";
import { useSize } from "../../base/dom/useSize";
import { cutMiddle } from "../../base/text/middle";
import { labelWidth } from "../../charts/drawing/axis_labels";
import { cellText, type Column, type Trials } from "./data";
import { heatOf, type AxisView } from "./parallel_layout";
import { layoutScatter, nearestPoint, wordsApart } from "./scatter_layout";

/** The name of an axis, shortened in the middle if it is wider than the chart. */
const fitting = (name: string, width: number): string => cutMiddle(name, Math.floor(width / labelWidth("m")) - 2);

export function ScatterChart({
  trials,
  x,
  y,
  colourBy,
  view,
  hot,
  onOpen,
}: {
  trials: Trials;
  x: Column;
  y: Column;
  colourBy: Column | undefined;
  view: AxisView;
  hot: Signal<number | null>;
  onOpen: (index: number) => void;
}): JSX.Element {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const layout = useMemo(() => layoutScatter(x, y, width, height, view), [x, y, width, height, view]);
  const heats = useMemo(() => heatOf(colourBy), [colourBy]);
  const leave = (): void => {
    hot.value = null;
    hideReadout();
  };
  const move = (event: PointerEvent): void => {
    const box = ref.current?.getBoundingClientRect();
    const index = layout && box ? nearestPoint(layout, event.clientX - box.left, event.clientY - box.top) : null;
    if (index === null) return leave();
    hot.value = index;
    const columns = [...new Set([x, y, ...(colourBy ? [colourBy] : [])])];
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
  return (
    <div class="parallel" ref={ref}>
      {layout && (
        <svg
          class={`chart scatter${hot.value === null ? "" : " has-hot"}`}
          width={width}
          height={height}
          role="group"
          aria-label={`${layout.points.length} trials plotted by ${x.label} and ${y.label}`}
          onPointerMove={move}
          onPointerLeave={leave}
          onClick={() => hot.value !== null && onOpen(hot.value)}
        >
          {layout.y.ticks.map((tick) => (
            <g key={tick.value}>
              <path class="grid" d={`M${layout.left} ${Math.round(tick.at) + 0.5}H${layout.right}`} />
              <text x={layout.left - 8} y={tick.at + 4} text-anchor="end">
                {cutMiddle(tick.text, 9)}
              </text>
            </g>
          ))}
          {wordsApart(layout.x.ticks, layout.x.invert !== null).map((tick) => (
            <g key={tick.value}>
              <path class="grid" d={`M${Math.round(tick.at) + 0.5} ${layout.top}V${layout.bottom}`} />
              <text x={tick.at} y={layout.bottom + 16} text-anchor="middle">
                {tick.text}
              </text>
            </g>
          ))}
          {layout.points.length === 0 && (
            <text
              x={(layout.left + layout.right) / 2}
              y={(layout.top + layout.bottom) / 2}
              text-anchor="middle"
            >{`No trial has both ${x.label} and ${y.label}.`}</text>
          )}
          <path class="axis" d={`M${layout.left} ${layout.top}V${Math.round(layout.bottom) + 0.5}H${layout.right}`} />
          <text class="name" x={layout.right} y={layout.bottom + 32} text-anchor="end">
            {fitting(x.label, layout.right - layout.left)}
            {fitting(x.label, layout.right - layout.left) !== x.label && <title>{x.label}</title>}
          </text>
          <text class="name halo" x={layout.left + 6} y={layout.top - 4}>
            {fitting(y.label, layout.right - layout.left)}
            {fitting(y.label, layout.right - layout.left) !== y.label && <title>{y.label}</title>}
          </text>
          {layout.points.map((point) => (
            <circle
              key={point.index}
              class={`trial-dot ${heats[point.index]}${hot.value === point.index ? " hot" : ""}`}
              cx={point.x}
              cy={point.y}
              r={hot.value === point.index ? 4 : 2.5}
            />
          ))}
        </svg>
      )}
    </div>
  );
}
