import { sizeCanvas } from "../../base/dom/canvas";
import { resolveColour } from "../../base/dom/css_colour";
import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { hideReadout, showReadout } from "../../widgets/readout";
import { useSize } from "../../base/dom/useSize";
import { count, significant } from "../../base/text/format";
import { ticks } from "../../base/math/scale";
import { paintVersion } from "../../base/theme";
import type { Bars } from "./data";
import { layoutHeat, type HeatLayout } from "./heat_layout";
import { BarReadout } from "./RidgeChart";

const SHADES = 6;

function paint(context: CanvasRenderingContext2D, layout: HeatLayout, element: Element): void {
  const shades = Array.from({ length: SHADES }, (_, i) => resolveColour(element, `--heat-${i}`));
  const { box, columns, darkness } = layout;
  columns.forEach(({ from, to }, s) => {
    const tall = (box.b - box.t) / (darkness[s]?.length ?? 1);
    darkness[s]?.forEach((dark, row) => {
      if (dark <= 0) return;
      // Mixes two colours of the ramp by painting the upper one over the lower one.
      const at = Math.min(SHADES - 1, dark * (SHADES - 1));
      const low = Math.floor(at);
      const [top, bottom] = [Math.floor(box.b - (row + 1) * tall), Math.ceil(box.b - row * tall)];
      for (const [shade, opacity] of [
        [low, 1],
        [low + 1, at - low],
      ] as const) {
        if (opacity <= 0 || shade >= SHADES) continue;
        context.globalAlpha = opacity;
        context.fillStyle = shades[shade] ?? "";
        context.fillRect(Math.floor(from), top, Math.ceil(to) - Math.floor(from), bottom - top);
      }
    });
  });
  context.globalAlpha = 1;
}

export function HeatChart({ data, logY, summary }: { data: Bars; logY: boolean; summary: string }): JSX.Element {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const layout = useMemo(() => layoutHeat(data, width, height, logY), [data, width, height, logY]);
  const painted = paintVersion.value;
  useLayoutEffect(() => {
    const context = canvas.current && sizeCanvas(canvas.current, width, height);
    if (context && layout && ref.current) paint(context, layout, ref.current);
  }, [layout, painted]);
  const move = (event: PointerEvent): void => {
    const frame = ref.current?.getBoundingClientRect();
    if (!layout || !frame) return;
    const px = event.clientX - frame.left;
    const step = layout.columns.findIndex(({ from, to }) => px >= from && px <= to);
    if (step < 0) return hideReadout();
    showReadout(
      <BarReadout data={data} step={step} value={layout.y.invert(event.clientY - frame.top)} />,
      event.clientX,
      event.clientY,
    );
  };
  return (
    <div class="plot" ref={ref} role="img" aria-label={summary} onPointerMove={move} onPointerLeave={hideReadout}>
      <canvas ref={canvas} aria-hidden="true" />
      {layout && (
        <svg class="chart overlay" width={width} height={height} aria-hidden="true">
          {ticks(...layout.y.domain, 4).map((t) => (
            <text key={t} x={layout.box.l - 6} y={layout.y(t) + 4} text-anchor="end">
              {significant(t, 3)}
            </text>
          ))}
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
          <path
            class="axis"
            d={`M${layout.box.l + 0.5} ${layout.box.t}V${Math.round(layout.box.b) + 0.5}H${layout.box.r}`}
          />
        </svg>
      )}
    </div>
  );
}
