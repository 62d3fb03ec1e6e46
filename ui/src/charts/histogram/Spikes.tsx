// Marks bars that are higher than the chart and are therefore cut, with their share of the values.
import type { JSX } from "preact";
import type { Spike } from "./ceiling";

const ROOM = 46; // The width of the label "50.0 %" in pixels.

/**
 * If `named` is false, draws only the marks on the bars. Otherwise also writes the shares above the chart, where there
 * is free space.
 */
export function Spikes({
  spikes,
  box,
  named = true,
}: {
  spikes: readonly Spike[];
  box: { l: number; r: number; t: number };
  named?: boolean;
}): JSX.Element {
  let reached = -Infinity;
  return (
    <>
      {spikes.map(({ x, text, mark }) => {
        const shown = named && x - reached >= ROOM;
        if (shown) reached = x;
        const anchor = x - box.l < ROOM / 2 ? "start" : box.r - x < ROOM / 2 ? "end" : "middle";
        return (
          <g key={x} class="spike">
            <path class="spike-cut" d={mark} />
            {shown && (
              <text
                class="halo"
                x={anchor === "start" ? box.l : anchor === "end" ? box.r : x}
                y={box.t - 5}
                text-anchor={anchor}
              >
                {text}
              </text>
            )}
          </g>
        );
      })}
    </>
  );
}
