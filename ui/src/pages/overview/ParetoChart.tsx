import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { hideReadout, showReadout } from "../../widgets/readout";
import { useSize } from "../../base/dom/useSize";
import { significant } from "../../base/text/format";
import { layoutPareto, type Mark, type ParetoInput } from "./pareto_layout";
import type { Brush } from "./rows";

const diamond = (x: number, y: number, r = 4.5): string =>
  `M${x.toFixed(1)} ${(y - r).toFixed(1)}l${r} ${r}-${r} ${r}-${r}-${r}z`;

const MANY = 150; // The max number of models with arrows, because more arrows would hide the marks.

export interface ParetoChartProps {
  readonly inputs: readonly ParetoInput[];
  readonly logX: boolean;
  readonly logY: boolean;
  readonly xHigherIsBetter: boolean;
  readonly yHigherIsBetter: boolean;
  /** The upper limit of the y axis: 100 for percentages. */
  readonly yMost?: number;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly frontName: string;
  /** The names of the models on the Pareto front; empty until the server's response arrives. */
  readonly front: ReadonlySet<string>;
  readonly summary: string;
  readonly hot: Signal<string | null>;
  /** The names of models that pass the filters; other models are faint. */
  readonly passing: ReadonlySet<string>;
  readonly brush: Brush | null;
  readonly onBrush: (brush: Brush | null) => void;
  readonly onOpen: (name: string) => void;
  readonly card: (name: string) => JSX.Element;
}

interface Drag {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

export function ParetoChart(props: ParetoChartProps): JSX.Element {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const svg = useRef<SVGSVGElement>(null);
  const [drag, setDrag] = useState<Drag | null>(null);
  const hot = props.hot.value;
  const layout = useMemo(
    () =>
      layoutPareto(props.inputs, {
        width,
        height,
        logX: props.logX,
        logY: props.logY,
        xHigherIsBetter: props.xHigherIsBetter,
        yHigherIsBetter: props.yHigherIsBetter,
        front: props.front,
        ...(props.yMost === undefined ? {} : { yMost: props.yMost }),
      }),
    [
      props.inputs,
      props.front,
      width,
      height,
      props.logX,
      props.logY,
      props.xHigherIsBetter,
      props.yHigherIsBetter,
      props.yMost,
    ],
  );
  const point = (mark: Mark, x: number, y: number): void => {
    if (drag) return;
    props.hot.value = mark.name;
    showReadout(props.card(mark.name), x, y);
  };
  const leave = (): void => {
    props.hot.value = null;
    hideReadout();
  };
  const place = (event: PointerEvent): { x: number; y: number } => {
    const at = svg.current!.getBoundingClientRect();
    const { l, r, t, b } = layout!.box;
    return {
      x: Math.min(r, Math.max(l, event.clientX - at.left)),
      y: Math.min(b, Math.max(t, event.clientY - at.top)),
    };
  };
  const begin = (event: PointerEvent): void => {
    if (event.button !== 0 || event.pointerType === "touch") return; // On touch screens, dragging scrolls the page.
    const { x, y } = place(event);
    svg.current?.setPointerCapture(event.pointerId);
    setDrag({ x0: x, y0: y, x1: x, y1: y });
  };
  const move = (event: PointerEvent): void => {
    if (!drag) return;
    const { x, y } = place(event);
    setDrag({ ...drag, x1: x, y1: y });
  };
  const end = (): void => {
    if (!drag || !layout) return;
    setDrag(null);
    const far = Math.abs(drag.x1 - drag.x0) > 5 && Math.abs(drag.y1 - drag.y0) > 5;
    if (!far) return props.onBrush(null);
    const sorted = (p: number, q: number): [number, number] => [Math.min(p, q), Math.max(p, q)];
    props.onBrush({
      x: sorted(layout.x.invert(drag.x0), layout.x.invert(drag.x1)),
      y: sorted(layout.y.invert(drag.y0), layout.y.invert(drag.y1)),
    });
  };
  const marked: Drag | null =
    drag ??
    (layout && props.brush
      ? {
          x0: layout.x(props.brush.x[0]),
          x1: layout.x(props.brush.x[1]),
          y0: layout.y(props.brush.y[1]),
          y1: layout.y(props.brush.y[0]),
        }
      : null);
  return (
    <div class="pareto" ref={ref}>
      {layout && (
        <svg
          ref={svg}
          class={`chart${layout.marks.some((mark) => mark.name === hot) ? " has-hot" : ""}${layout.marks.length > MANY ? " many" : ""}`}
          width={width}
          height={height}
          role="group"
          aria-label={props.summary}
          onPointerMove={move}
          onPointerUp={end}
          onPointerCancel={() => setDrag(null)}
        >
          {layout.yTicks.map((t) => (
            <g key={t}>
              <path class="grid" d={`M${layout.box.l} ${Math.round(layout.y(t)) + 0.5}H${layout.box.r}`} />
              <text x={layout.box.l - 8} y={layout.y(t) + 4} text-anchor="end">
                {significant(t)}
              </text>
            </g>
          ))}
          {layout.xTicks.map((t) => (
            <g key={t}>
              <path class="grid" d={`M${Math.round(layout.x(t)) + 0.5} ${layout.box.t}V${layout.box.b}`} />
              <text x={layout.x(t)} y={layout.box.b + 16} text-anchor="middle">
                {significant(t)}
              </text>
            </g>
          ))}
          <path class="axis" d={`M${layout.box.l} ${Math.round(layout.box.b) + 0.5}H${layout.box.r}`} />
          <text
            x={layout.box.l}
            y={layout.box.t - 8}
            class="halo"
          >{`${props.yLabel}${props.logY ? " (log)" : ""}`}</text>
          <text
            x={layout.box.r}
            y={layout.box.b + 31}
            text-anchor="end"
          >{`${props.xLabel}${props.logX ? " (log)" : ""}`}</text>
          <rect
            class="field-of-brush"
            x={layout.box.l}
            y={layout.box.t}
            width={layout.box.r - layout.box.l}
            height={layout.box.b - layout.box.t}
            onPointerDown={begin}
          />
          {marked && (
            <rect
              class="brush"
              x={Math.min(marked.x0, marked.x1)}
              y={Math.min(marked.y0, marked.y1)}
              width={Math.abs(marked.x1 - marked.x0)}
              height={Math.abs(marked.y1 - marked.y0)}
            />
          )}
          <path class="front" d={layout.front} />
          {layout.frontLabel && (
            <text x={layout.frontLabel.x} y={layout.frontLabel.y} text-anchor={layout.frontLabel.anchor} class="halo">
              {props.frontName}
            </text>
          )}
          {/* Arrows are below all marks, because the wide hit area of an arrow must not cover other models' marks. */}
          {layout.marks.map(
            (mark) =>
              mark.a && (
                <path
                  key={mark.name}
                  class="reach"
                  d={`M${mark.a.x} ${mark.a.y}L${mark.b.x} ${mark.b.y}`}
                  onPointerMove={(event) => point(mark, event.clientX, event.clientY)}
                  onPointerLeave={leave}
                  onClick={() => props.onOpen(mark.name)}
                />
              ),
          )}
          {layout.marks.map((mark) => (
            <g
              key={mark.name}
              class={`model${hot === mark.name ? " hot" : ""}${props.passing.has(mark.name) ? "" : " out"}`}
              tabIndex={0}
              role="link"
              aria-label={mark.name}
              onPointerMove={(event) => point(mark, event.clientX, event.clientY)}
              onPointerLeave={leave}
              onFocus={(event) => {
                const r = event.currentTarget.getBoundingClientRect();
                point(mark, r.x + r.width / 2, r.y + r.height / 2);
              }}
              onBlur={leave}
              onClick={() => props.onOpen(mark.name)}
              onKeyDown={(event) => {
                if (event.key === "Enter") props.onOpen(mark.name);
              }}
            >
              {mark.arrow && <path class="arrow" d={mark.arrow} />}
              {mark.a && <circle class="mark-a" cx={mark.a.x} cy={mark.a.y} r="3.5" />}
              <path class="mark-b" d={diamond(mark.b.x, mark.b.y)} />
              {mark.label && (
                <text
                  x={mark.label.x}
                  y={mark.label.y}
                  text-anchor={mark.label.anchor}
                  class={mark.grew ? "warn halo" : "name halo"}
                >
                  {mark.grew ? `${mark.name} ▲` : mark.name}
                </text>
              )}
            </g>
          ))}
        </svg>
      )}
    </div>
  );
}
