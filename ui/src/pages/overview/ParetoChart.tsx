import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { hideReadout, showReadout } from "../../charts/readout";
import { useSize } from "../../charts/useSize";
import { significant } from "../../lib/format";
import { layoutPareto, type Mark, type ParetoInput } from "./pareto_layout";

const diamond = (x: number, y: number, r = 4.5): string => `M${x.toFixed(1)} ${(y - r).toFixed(1)}l${r} ${r}-${r} ${r}-${r}-${r}z`;

export interface ParetoChartProps {
  readonly inputs: readonly ParetoInput[];
  readonly logX: boolean;
  readonly xHigherIsBetter: boolean;
  readonly yHigherIsBetter: boolean;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly frontName: string;
  readonly summary: string;
  readonly hot: string | null;
  readonly onHot: (name: string | null) => void;
  readonly onOpen: (name: string) => void;
  readonly card: (name: string) => JSX.Element;
}

export function ParetoChart(props: ParetoChartProps): JSX.Element {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const layout = useMemo(
    () => layoutPareto(props.inputs, {
      width, height, logX: props.logX, logY: false,
      xHigherIsBetter: props.xHigherIsBetter, yHigherIsBetter: props.yHigherIsBetter,
    }),
    [props.inputs, width, height, props.logX, props.xHigherIsBetter, props.yHigherIsBetter],
  );
  const point = (mark: Mark, x: number, y: number): void => {
    props.onHot(mark.name);
    showReadout(props.card(mark.name), x, y);
  };
  const leave = (): void => {
    props.onHot(null);
    hideReadout();
  };
  return (
    <div class="pareto" ref={ref}>
      {layout && (
        <svg class={`chart${props.hot === null ? "" : " has-hot"}`} height={height} role="group" aria-label={props.summary}>
          {layout.yTicks.map((t) => (
            <g key={t}>
              <path class="grid" d={`M${layout.box.l} ${Math.round(layout.y(t)) + 0.5}H${layout.box.r}`} />
              <text x={layout.box.l - 8} y={layout.y(t) + 4} text-anchor="end">{significant(t)}</text>
            </g>
          ))}
          {layout.xTicks.map((t) => (
            <g key={t}>
              <path class="grid" d={`M${Math.round(layout.x(t)) + 0.5} ${layout.box.t}V${layout.box.b}`} />
              <text x={layout.x(t)} y={layout.box.b + 16} text-anchor="middle">{significant(t)}</text>
            </g>
          ))}
          <path class="axis" d={`M${layout.box.l} ${Math.round(layout.box.b) + 0.5}H${layout.box.r}`} />
          <text x={layout.box.l} y={layout.box.t - 6} class="halo">{props.yLabel}</text>
          <text x={layout.box.r} y={layout.box.b + 31} text-anchor="end">{`${props.xLabel}${props.logX ? " (log)" : ""}`}</text>
          <path class="front" d={layout.front} />
          {layout.frontLabel && (
            <text x={layout.frontLabel.x} y={layout.frontLabel.y} text-anchor={layout.frontLabel.anchor} class="halo">{props.frontName}</text>
          )}
          {layout.marks.map((mark) => (
            <g key={mark.name} class={`model${props.hot === mark.name ? " hot" : ""}`} tabIndex={0} role="link" aria-label={mark.name}
              onPointerMove={(event) => point(mark, event.clientX, event.clientY)} onPointerLeave={leave}
              onFocus={(event) => { const r = event.currentTarget.getBoundingClientRect(); point(mark, r.x + r.width / 2, r.y + r.height / 2); }}
              onBlur={leave} onClick={() => props.onOpen(mark.name)}
              onKeyDown={(event) => { if (event.key === "Enter") props.onOpen(mark.name); }}>
              {mark.a && <path d={`M${mark.a.x} ${mark.a.y}L${mark.b.x} ${mark.b.y}`} stroke="transparent" stroke-width="14" />}
              {mark.arrow && <path class="arrow" d={mark.arrow} />}
              {mark.a && <circle class="mark-a" cx={mark.a.x} cy={mark.a.y} r="3.5" />}
              <path class="mark-b" d={diamond(mark.b.x, mark.b.y)} />
              {mark.label && (
                <text x={mark.label.x} y={mark.label.y} text-anchor={mark.label.anchor} class={mark.grew ? "warn halo" : "name halo"}>
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
