import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { percent, significant } from "../../base/text/format";
import { hideReadout, showReadout } from "../../widgets/readout";
import { useSize } from "../../base/dom/useSize";
import type { HistogramInput } from "./layout";
import { layoutQq } from "./qq_layout";

export function QqChart({
  input,
  nameA,
  nameB,
  summary,
}: {
  input: HistogramInput;
  nameA: string;
  nameB: string;
  summary: string;
}): JSX.Element {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const layout = useMemo(() => layoutQq(input, width, height), [input, width, height]);
  const point = (event: PointerEvent): void => {
    if (!layout || !ref.current) return;
    const at = layout.x.invert(event.clientX - ref.current.getBoundingClientRect().left);
    const near = layout.points.reduce((best, p) => (Math.abs(p.a - at) < Math.abs(best.a - at) ? p : best));
    showReadout(
      <>
        <b>{percent(near.share, near.share < 0.01 || near.share > 0.99 ? 1 : 0)} % lie below</b>
        <dl>
          <dt class="in-a">● {nameA}</dt>
          <dd>{significant(near.a)}</dd>
          <dt class="in-b">◆ {nameB}</dt>
          <dd>{significant(near.b)}</dd>
        </dl>
      </>,
      event.clientX,
      event.clientY,
    );
  };
  const words = layout
    ? `${summary}. Furthest apart where ${percent(layout.worst.share, 1)} % lie below: ${significant(layout.worst.a, 3)} in ${nameA}, ${significant(layout.worst.b, 3)} in ${nameB}`
    : summary;
  return (
    <div class="histogram" ref={ref} role="img" aria-label={words} onPointerMove={point} onPointerLeave={hideReadout}>
      {layout && (
        <svg class="chart" height={height} aria-hidden="true">
          {layout.ticks.map((tick) => (
            <g key={tick.text}>
              <path class="grid" d={`M${layout.box.l} ${Math.round(tick.across) + 0.5}H${layout.box.r}`} />
              <text x={layout.box.l - 6} y={tick.across + 4} text-anchor="end">
                {tick.text}
              </text>
              <text x={tick.at} y={layout.box.b + 18} text-anchor="middle">
                {tick.text}
              </text>
            </g>
          ))}
          <text class="ink-b" x={layout.box.l} y={layout.box.t - 8}>{`quantiles of ${nameB}`}</text>
          <text class="ink-a" x={layout.box.r} y={height - 2} text-anchor="end">{`quantiles of ${nameA}`}</text>
          <path
            class="diagonal"
            d={`M${layout.x(layout.x.domain[0])} ${layout.y(layout.x.domain[0])}L${layout.x(layout.x.domain[1])} ${layout.y(layout.x.domain[1])}`}
          />
          {layout.points.map((p) => (
            <circle key={p.share} class="qq" cx={layout.x(p.a).toFixed(1)} cy={layout.y(p.b).toFixed(1)} r="2.5" />
          ))}
        </svg>
      )}
    </div>
  );
}
