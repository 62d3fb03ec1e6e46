import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Spikes } from "../../charts/histogram/Spikes";
import { hideReadout, showReadout } from "../../widgets/readout";
import { placeOf } from "../../charts/drawing/axis_labels";
import { useSize } from "../../base/dom/useSize";
import { titleOf } from "../../domain/runs/run_titles";
import { lookOf } from "../../domain/runs/run_look";
import { fixed, significant } from "../../base/text/format";
import { RunKey } from "../../domain/runs/RunKey";
import type { Together } from "./data";
import { barAt } from "./layout";
import { layoutRuns } from "./runs_layout";

const CLICK = 6; // The max movement of a click, in pixels.

export function RunsChart({
  data,
  logY,
  summary,
  onRange,
}: {
  data: Together;
  logY: boolean;
  summary: string;
  /**
   * Called with the range that the user selected on the axis, to show this range in finer bins. null means the whole
   * range.
   */
  onRange: (range: readonly [number, number] | null) => void;
}): JSX.Element {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const [hot, setHot] = useState(-1);
  const layout = useMemo(() => layoutRuns(data, width, height, logY), [data, width, height, logY]);
  const pixel = (event: PointerEvent): number => {
    const px = event.clientX - (ref.current?.getBoundingClientRect().left ?? 0);
    return Math.min(layout!.box.r, Math.max(layout!.box.l, px));
  };
  const leave = (): void => {
    setHot(-1);
    hideReadout();
  };
  const move = (event: PointerEvent): void => {
    if (!layout) return;
    if (drag) setDrag({ from: drag.from, to: pixel(event) });
    const bin = barAt(layout.edges, layout.x.invert(pixel(event)));
    setHot(bin);
    if (bin < 0) return hideReadout();
    showReadout(
      <>
        <b>
          {significant(layout.edges[bin] ?? 0)} … {significant(layout.edges[bin + 1] ?? 0)}
        </b>
        <table class="nearest">
          <tbody>
            {data.runs.map(({ run }, i) => (
              <tr key={run}>
                <td>
                  <RunKey run={run} />
                </td>
                <td class="name">{titleOf(run)}</td>
                <td class="num">{fixed(layout.shares[i]?.[bin] ?? 0, 3)} %</td>
              </tr>
            ))}
          </tbody>
        </table>
      </>,
      event.clientX,
      event.clientY,
    );
  };
  const up = (): void => {
    if (layout && drag && Math.abs(drag.to - drag.from) > CLICK)
      onRange([layout.x.invert(Math.min(drag.from, drag.to)), layout.x.invert(Math.max(drag.from, drag.to))]);
    setDrag(null);
  };
  return (
    <div
      class="plot"
      ref={ref}
      role="img"
      aria-label={summary}
      onPointerMove={move}
      onPointerUp={up}
      onPointerLeave={leave}
      onDblClick={() => onRange(null)}
      onPointerDown={(event) => {
        if (layout && event.button === 0) {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag({ from: pixel(event), to: pixel(event) });
        }
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
          <text x={layout.box.l - 6} y={layout.box.t - 6} text-anchor="end">
            %
          </text>
          {layout.paths.map((d, i) => {
            const look = lookOf(data.runs[i]?.run ?? "");
            return (
              <path
                key={i}
                class={`bars run-${look.colour}`}
                d={d}
                style={{ fillOpacity: i === 0 ? 0.16 : 0 }}
                stroke-dasharray={look.dash.join(" ")}
              />
            );
          })}
          <path class="axis" d={`M${layout.box.l} ${Math.round(layout.box.b) + 0.5}H${layout.box.r}`} />
          {layout.xTicks.map((tick) => (
            <text
              key={tick.text}
              x={placeOf(tick.at, tick.text, width).x}
              y={height - 6}
              text-anchor={placeOf(tick.at, tick.text, width).anchor}
            >
              {tick.text}
            </text>
          ))}
          <Spikes spikes={layout.spikes} box={layout.box} />
          {hot >= 0 && !drag && (
            <path
              class="crosshair"
              d={`M${Math.round(layout.x(((layout.edges[hot] ?? 0) + (layout.edges[hot + 1] ?? 0)) / 2)) + 0.5} ${layout.box.t}V${layout.box.b}`}
            />
          )}
          {drag && (
            <rect
              class="brush"
              x={Math.min(drag.from, drag.to)}
              y={layout.box.t}
              width={Math.abs(drag.to - drag.from)}
              height={layout.box.b - layout.box.t}
            />
          )}
        </svg>
      )}
    </div>
  );
}
