import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { nearestIndex } from "../../charts/line/layout";
import { hideReadout, showReadout } from "../../widgets/readout";
import { useSize } from "../../base/dom/useSize";
import { lookOf } from "../../domain/runs/run_look";
import { significant } from "../../base/text/format";
import type { Percentiles } from "./data";
import { labelOf } from "./layout";
import { layoutPercentiles } from "./percentile_layout";
import { StepAxis } from "./StepAxis";

export const percentileName = (point: number): string =>
  point === 0 ? "min" : point === 50 ? "median" : point === 100 ? "max" : `${significant(point, 3)} %`;

export function PercentileChart({
  run,
  data,
  stepName,
  summary,
}: {
  run: string;
  data: Percentiles;
  stepName: string;
  summary: string;
}): JSX.Element {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const [hot, setHot] = useState(-1);
  const layout = useMemo(() => layoutPercentiles(data, width, height), [data, width, height]);
  const move = (event: PointerEvent): void => {
    const frame = ref.current?.getBoundingClientRect();
    if (!layout || !frame) return;
    const at = nearestIndex(data.steps, layout.x.invert(event.clientX - frame.left));
    setHot(at);
    showReadout(
      <>
        <b>{labelOf(data.steps[at] ?? 0, stepName)}</b>
        <dl class="two">
          {[...data.points.keys()].reverse().map((i) => (
            <>
              <dt>{percentileName(data.points[i] ?? 0)}</dt>
              <dd>{significant(data.rows[at]?.[i] ?? NaN)}</dd>
            </>
          ))}
        </dl>
      </>,
      event.clientX,
      event.clientY,
    );
  };
  return (
    <div
      class="plot"
      ref={ref}
      role="img"
      aria-label={summary}
      onPointerMove={move}
      onPointerLeave={() => {
        setHot(-1);
        hideReadout();
      }}
    >
      {layout && (
        <svg class={`chart run-${lookOf(run).colour}`} height={height}>
          {layout.yTicks.map(({ at, text }) => (
            <g key={text}>
              <path class="grid" d={`M${layout.box.l} ${Math.round(at) + 0.5}H${layout.box.r}`} />
              <text x={layout.box.l - 6} y={at + 4} text-anchor="end">
                {text}
              </text>
            </g>
          ))}
          {layout.bands.map((d, i) => (
            <path key={i} class="band" d={d} />
          ))}
          <path class="median" d={layout.median} />
          {hot >= 0 && (
            <path
              class="crosshair"
              d={`M${Math.round(layout.x(data.steps[hot] ?? 0)) + 0.5} ${layout.box.t}V${layout.box.b}`}
            />
          )}
          <path class="axis" d={`M${layout.box.l} ${Math.round(layout.box.b) + 0.5}H${layout.box.r}`} />
          <StepAxis layout={layout} width={width} height={height} name={stepName} />
        </svg>
      )}
    </div>
  );
}
