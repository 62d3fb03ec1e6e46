// A Q-Q plot: quantiles of B against quantiles of A. Points on the diagonal mean equal distributions. A bend at an end
// means clipping, another slope means another scale, and a parallel line means a shift. Pure functions.
import { significant } from "../../base/text/format";
import { quantile } from "../../base/math/quantile";
import { extent, linearScale, padded, ticks, type Scale } from "../../base/math/scale";
import type { HistogramInput } from "./layout";

export interface QqPoint {
  readonly share: number;
  readonly a: number;
  readonly b: number;
}

export interface QqLayout {
  readonly box: { l: number; r: number; t: number; b: number };
  readonly x: Scale;
  readonly y: Scale;
  readonly points: readonly QqPoint[];
  readonly ticks: readonly { at: number; across: number; text: string }[];
  /** The quantile that is farthest from the diagonal. */
  readonly worst: QqPoint;
}

const SHARES = [0.001, 0.005, ...Array.from({ length: 99 }, (_, i) => (i + 1) / 100), 0.995, 0.999];

/** The layout of the plot; null if one of the histograms is empty. */
export function qqPoints({ edges, a, b }: HistogramInput): QqPoint[] {
  const has = (counts: readonly number[] | null): counts is readonly number[] =>
    counts?.some((count) => count > 0) ?? false;
  if (!has(a) || !has(b)) return [];
  return SHARES.map((share) => ({ share, a: quantile(edges, a, share), b: quantile(edges, b, share) }));
}

export function layoutQq(input: HistogramInput, width: number, height: number): QqLayout | null {
  const points = qqPoints(input);
  const box = { l: 52, r: width - 10, t: 20, b: height - 34 };
  const range = extent(points.flatMap(({ a, b }) => [a, b]));
  const worst = points.reduce<QqPoint | null>(
    (most, point) => (most === null || Math.abs(point.b - point.a) > Math.abs(most.b - most.a) ? point : most),
    null,
  );
  if (!range || !worst || box.r - box.l < 40 || box.b - box.t < 30) return null;
  const domain = padded(range, 0.04);
  const [x, y] = [linearScale(...domain, box.l, box.r), linearScale(...domain, box.b, box.t)];
  return {
    box,
    x,
    y,
    points,
    worst,
    ticks: ticks(...domain, 5).map((t) => ({ at: x(t), across: y(t), text: significant(t, 3) })),
  };
}
