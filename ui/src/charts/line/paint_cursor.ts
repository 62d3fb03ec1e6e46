// Paints the cursor: a vertical line, and a dot on every curve at its point nearest to the pointer.
import type { Pen } from "../drawing/pen";
import { nearestIndex, type Line, type LineChartLayout } from "./layout";
import type { Ink, LineLook } from "./paint";

/** The left and right end of the painted area; only this area is cleared later. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

const RADIUS = 3;
const PIXELS = 1 << 16; // More rows of pixels than any canvas has.

/** Clears the area `painted` and paints the cursor; returns the newly painted area. */
export function paintCursor(
  pen: Pen,
  layout: LineChartLayout,
  lines: readonly Line[],
  looks: readonly LineLook[],
  ink: Ink,
  cursor: number | null,
  painted: Stretch | null,
): Stretch | null {
  const { box, x, y } = layout;
  if (painted) pen.clearRect(painted.from, box.t - 2 * RADIUS, painted.to - painted.from, box.b - box.t + 4 * RADIUS);
  if (cursor === null || !(cursor >= x.domain[0] && cursor <= x.domain[1])) return null;

  const at = Math.round(x(cursor)) + 0.5;
  let [from, to] = [at, at];
  pen.strokeStyle = ink.text;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(at, box.t);
  pen.lineTo(at, box.b);
  pen.stroke();

  // Draws one path per colour: even a thousand dots need only eight fill operations. If several dots are at the same
  // pixel, only the first is drawn.
  const byColour = new Map<string, [number, number][]>();
  const taken = new Set<number>();
  lines.forEach((line, i) => {
    const nearest = nearestIndex(line.xs, cursor);
    const value = (line.smooth ?? line.ys)[nearest] ?? NaN;
    const [px, py] = [x(line.xs[nearest] ?? NaN), y(value)];
    if (!Number.isFinite(px) || !Number.isFinite(py)) return;
    const pixel = Math.round(px) * PIXELS + Math.round(py);
    if (taken.has(pixel)) return;
    taken.add(pixel);
    const colour = looks[i]?.colour ?? ink.text;
    const dots = byColour.get(colour);
    if (dots) dots.push([px, py]);
    else byColour.set(colour, [[px, py]]);
    from = Math.min(from, px);
    to = Math.max(to, px);
  });
  pen.strokeStyle = ink.paper;
  for (const [colour, dots] of byColour) {
    pen.fillStyle = colour;
    pen.beginPath();
    for (const [px, py] of dots) {
      pen.moveTo(px + RADIUS, py);
      pen.arc(px, py, RADIUS, 0, 2 * Math.PI);
    }
    pen.fill();
    pen.stroke();
  }
  return { from: from - 2 * RADIUS, to: to + 2 * RADIUS };
}
