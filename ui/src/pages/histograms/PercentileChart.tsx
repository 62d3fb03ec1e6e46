import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { nearestIndex } from "../../charts/line/layout";
import { hideReadout, showReadout } from "../../widgets/readout";
import { useSize } from "../../base/dom/useSize";
import { lookOf } from "../../domain/runs/run_look";
import { count, significant } from "../../base/text/format";
import { ticks } from "../../base/math/scale";
import type { Percentiles } from "./data";
import { layoutPercentiles } from "./percentile_layout";

export const percentileName = (point: number): string =>
  point === 0 ? "least" : point === 50 ? "median" : point === 100 ? "greatest" : `${significant(point, 3)} %`;

export function PercentileChart({
  run,
  data,
  summary,
}: {
  run: string;
  data: Percentiles;
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
        <b>step {count(data.steps[at] ?? 0)}</b>
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
          {ticks(...layout.y.domain, 4).map((t) => (
            <g key={t}>
              <path class="grid" d={`M${layout.box.l} ${Math.round(layout.y(t)) + 0.5}H${layout.box.r}`} />
              <text x={layout.box.l - 6} y={layout.y(t) + 4} text-anchor="end">
                {significant(t, 3)}
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
          <text x={layout.box.l - 10} y={height - 6} text-anchor="end">
            step
          </text>
          {ticks(...layout.x.domain, 4)
            .filter(Number.isInteger)
            .map((t) => (
              <text key={t} x={layout.x(t)} y={height - 6} text-anchor="middle">
                {count(t)}
              </text>
            ))}
        </svg>
      )}
    </div>
  );
}
