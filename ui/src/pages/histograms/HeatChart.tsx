import { sizeCanvas } from "../../base/dom/canvas";
import { resolveColour } from "../../base/dom/css_colour";
import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { hideReadout, showReadout } from "../../widgets/readout";
import { useSize } from "../../base/dom/useSize";
import { paintVersion } from "../../base/theme";
import type { Bars } from "./data";
import { layoutHeat, type HeatLayout } from "./heat_layout";
import { BarReadout } from "./RidgeChart";
import { StepAxis } from "./StepAxis";

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

export function HeatChart({
  data,
  logY,
  stepName,
  summary,
}: {
  data: Bars;
  logY: boolean;
  stepName: string;
  summary: string;
}): JSX.Element {
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
      <BarReadout data={data} step={step} value={layout.y.invert(event.clientY - frame.top)} stepName={stepName} />,
      event.clientX,
      event.clientY,
    );
  };
  return (
    <div class="plot" ref={ref} role="img" aria-label={summary} onPointerMove={move} onPointerLeave={hideReadout}>
      <canvas ref={canvas} aria-hidden="true" />
      {layout && (
        <svg class="chart overlay" width={width} height={height} aria-hidden="true">
          {layout.yTicks.map(({ at, text }) => (
            <text key={text} x={layout.box.l - 6} y={at + 4} text-anchor="end">
              {text}
            </text>
          ))}
          <StepAxis layout={layout} width={width} height={height} name={stepName} />
          <path
            class="axis"
            d={`M${layout.box.l + 0.5} ${layout.box.t}V${Math.round(layout.box.b) + 0.5}H${layout.box.r}`}
          />
        </svg>
      )}
    </div>
  );
}
