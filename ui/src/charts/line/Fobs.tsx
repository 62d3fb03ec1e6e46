import type { JSX } from "preact";
import type { LineChartLayout } from "./layout";

/** A marked place on the x axis (a fob), with its label. */
export interface Fob {
  readonly x: number;
  readonly text: string;
}

/** Draws fobs over a chart, and shades the range between two fobs. */
export function Fobs({
  fobs,
  layout,
  width,
  height,
}: {
  fobs: readonly Fob[];
  layout: LineChartLayout;
  width: number;
  height: number;
}): JSX.Element {
  const { box } = layout;
  const inside = (x: number): number => Math.min(box.r, Math.max(box.l, layout.x(x)));
  const [from, to] = [Math.min(...fobs.map(({ x }) => inside(x))), Math.max(...fobs.map(({ x }) => inside(x)))];
  return (
    <svg class="chart overlay" width={width} height={height} aria-hidden="true">
      {fobs.length > 1 && <rect class="brush" x={from} y={box.t} width={to - from} height={box.b - box.t} />}
      {fobs
        .filter(({ x }) => x >= layout.x.domain[0] && x <= layout.x.domain[1])
        .map(({ x, text }) => {
          const at = Math.round(layout.x(x)) + 0.5;
          const half = text.length * 3.2 + 6;
          const middle = Math.min(Math.max(at, box.l + half), box.r + 8 - half);
          return (
            <g key={x}>
              <path class="fob-line" d={`M${at} ${box.t}V${box.b}`} />
              <rect class="fob" x={middle - half} y={box.b + 3} width={2 * half} height={17} rx={2} />
              <text class="fob-text" x={middle} y={box.b + 16} text-anchor="middle">
                {text}
              </text>
            </g>
          );
        })}
    </svg>
  );
}
