// The layout of the Pareto chart: marks, arrows, the Pareto front and labels. Pure functions that convert values to
// pixels.
import { boxesAlong, LabelPlacer, spotsAround, type LabelSpot } from "../../charts/drawing/labels";
import { extent, linearScale, logScale, logTicks, padded, ticks, type Scale } from "../../base/math/scale";

export interface ParetoInput {
  readonly name: string;
  readonly xa: number | null;
  readonly ya: number | null;
  readonly xb: number;
  readonly yb: number;
  /** Whether one of the values is derived (computed from other metrics, not measured). */
  readonly derived?: boolean;
  /**
   * Whether the model may be on the Pareto front. False for a model of another experiment, because models are ranked
   * within one experiment.
   */
  readonly ranked?: boolean;
}

export interface ParetoOptions {
  readonly width: number;
  readonly height: number;
  readonly logX: boolean;
  readonly logY: boolean;
  readonly xHigherIsBetter: boolean;
  readonly yHigherIsBetter: boolean;
  /** The names of the models on the Pareto front. */
  readonly front: ReadonlySet<string>;
  /** The upper limit of the y axis. */
  readonly yMost?: number;
}

export interface Mark {
  readonly index: number;
  readonly name: string;
  readonly a: { x: number; y: number } | null;
  readonly b: { x: number; y: number };
  /** The SVG path of the arrow from variant A to variant B; empty if A has no values. */
  readonly arrow: string;
  readonly label: LabelSpot | null;
  readonly onFront: boolean;
  readonly grew: boolean; // B is worse than A on the x axis.
}

export interface ParetoLayout {
  readonly box: { l: number; r: number; t: number; b: number };
  readonly x: Scale;
  readonly y: Scale;
  readonly xTicks: readonly number[];
  readonly yTicks: readonly number[];
  readonly marks: readonly Mark[];
  readonly front: string;
  readonly frontLabel: { x: number; y: number; anchor: "start" | "end" } | null;
}

// The axis extends beyond its limit only as far as a mark at the limit needs.
function scaleOf(values: readonly number[], log: boolean, r0: number, r1: number, most = Infinity): Scale | null {
  const usable = log ? values.filter((v) => v > 0) : values;
  const range = extent(usable);
  if (!range) return null;
  if (!log) {
    const [lo, hi] = padded(range, 0.08);
    return linearScale(lo, range[1] <= most ? Math.min(hi, most + (most - lo) * 0.04) : hi, r0, r1);
  }
  const room = range[0] === range[1] ? 2 : (range[1] / range[0]) ** 0.06;
  return logScale(range[0] / room, range[1] * room, r0, r1);
}

const pixel = (value: number): string => value.toFixed(1);

function arrowOf(a: { x: number; y: number }, b: { x: number; y: number }): string {
  const length = Math.hypot(a.x - b.x, a.y - b.y);
  if (length < 10) return "";
  const [ux, uy] = [(a.x - b.x) / length, (a.y - b.y) / length];
  const [tx, ty] = [b.x + ux * 7, b.y + uy * 7];
  const line = `M${pixel(a.x - ux * 5)} ${pixel(a.y - uy * 5)}L${pixel(tx)} ${pixel(ty)}`;
  if (length < 16) return line;
  const barb = (side: number): string => `${pixel(tx + ux * 5 - side * uy * 3)} ${pixel(ty + uy * 5 + side * ux * 3)}`;
  return `${line}M${barb(1)}L${pixel(tx)} ${pixel(ty)}L${barb(-1)}`;
}

export function layoutPareto(inputs: readonly ParetoInput[], options: ParetoOptions): ParetoLayout | null {
  const box = { l: 44, r: options.width - 16, t: 20, b: options.height - 36 };
  if (box.r - box.l < 80 || box.b - box.t < 60) return null;
  const xs = inputs.flatMap((m) => (m.xa === null ? [m.xb] : [m.xa, m.xb]));
  const ys = inputs.flatMap((m) => (m.ya === null ? [m.yb] : [m.ya, m.yb]));
  const x = scaleOf(xs, options.logX, box.l, box.r);
  const y = scaleOf(ys, options.logY, box.b, box.t, options.yMost);
  if (!x || !y) return null;

  const frontIndices = inputs.flatMap((m, index) => (options.front.has(m.name) ? [index] : []));
  const onFront = new Set(frontIndices);
  const points = inputs.map((m) => ({
    a: m.xa === null || m.ya === null ? null : { x: x(m.xa), y: y(m.ya) },
    b: { x: x(m.xb), y: y(m.yb) },
  }));

  const placer = new LabelPlacer({ x: box.l, y: box.t - 4, w: box.r - box.l + 14, h: box.b - box.t + 4 });
  for (const { a, b } of points) {
    if (a) placer.take({ x: a.x - 5, y: a.y - 5, w: 10, h: 10 });
    placer.take({ x: b.x - 6, y: b.y - 6, w: 12, h: 12 });
    if (a) for (const box of boxesAlong(a.x, a.y, b.x, b.y)) placer.take(box);
  }
  const line = frontIndices.map((i) => points[i]!.b).sort((p, q) => p.x - q.x);
  for (let i = 1; i < line.length; i += 1) {
    const [p, q] = [line[i - 1]!, line[i]!];
    const corner = options.xHigherIsBetter ? { x: p.x, y: q.y } : { x: q.x, y: p.y };
    for (const end of [p, q]) for (const box of boxesAlong(corner.x, corner.y, end.x, end.y)) placer.take(box);
  }
  const frontLabel = frontLabelOf(line, options);
  if (frontLabel)
    placer.take({ x: frontLabel.x - (frontLabel.anchor === "end" ? 64 : 0), y: frontLabel.y - 12, w: 64, h: 16 });
  // Labels are placed first for models on the Pareto front, then for the models with the largest loss.
  const order = inputs
    .map((_, i) => i)
    .sort(
      (i, j) =>
        Number(onFront.has(j)) - Number(onFront.has(i)) || lossOf(inputs[j]!, options) - lossOf(inputs[i]!, options),
    );
  const labels = new Map<number, LabelSpot | null>();
  for (const i of order) {
    const { a, b } = points[i]!;
    labels.set(i, placer.place(spotsAround(`${inputs[i]!.name} ▲`, b.x, b.y, a !== null && a.x > b.x)));
  }

  const marks = inputs.map((m, index): Mark => {
    const { a, b } = points[index]!;
    const grew = m.xa !== null && (options.xHigherIsBetter ? m.xb < m.xa : m.xb > m.xa);
    return {
      index,
      name: m.name,
      a,
      b,
      arrow: a ? arrowOf(a, b) : "",
      label: labels.get(index) ?? null,
      onFront: onFront.has(index),
      grew,
    };
  });
  return {
    box,
    x,
    y,
    marks,
    frontLabel,
    xTicks: options.logX
      ? logTicks(...x.domain, Math.max(2, Math.floor((box.r - box.l) / 64)))
      : ticks(...x.domain, Math.floor((box.r - box.l) / 80)),
    yTicks: options.logY ? logTicks(...y.domain, 6) : ticks(...y.domain, 6),
    front: frontPath(line, options),
  };
}

function lossOf(m: ParetoInput, options: ParetoOptions): number {
  if (m.ya === null) return 0;
  return options.yHigherIsBetter ? m.ya - m.yb : m.yb - m.ya;
}

// The border of the Pareto front as a step line: from each point, the line is horizontal or vertical until it reaches
// the next point.
function frontPath(line: readonly { x: number; y: number }[], options: ParetoOptions): string {
  return line
    .map((p, i) => {
      if (i === 0) return `M${pixel(p.x)} ${pixel(p.y)}`;
      return options.xHigherIsBetter ? `V${pixel(p.y)}H${pixel(p.x)}` : `H${pixel(p.x)}V${pixel(p.y)}`;
    })
    .join("");
}

// The position of the label of the Pareto front: beside the longest vertical part of its line.
function frontLabelOf(line: readonly { x: number; y: number }[], options: ParetoOptions): ParetoLayout["frontLabel"] {
  let best: ParetoLayout["frontLabel"] = null;
  let longest = 24;
  for (let i = 1; i < line.length; i += 1) {
    const [p, q] = [line[i - 1]!, line[i]!];
    const height = Math.abs(p.y - q.y);
    if (height <= longest) continue;
    longest = height;
    best = options.xHigherIsBetter
      ? { x: p.x - 6, y: (p.y + q.y) / 2 + 4, anchor: "end" }
      : { x: q.x + 6, y: (p.y + q.y) / 2 + 4, anchor: "start" };
  }
  return best;
}
