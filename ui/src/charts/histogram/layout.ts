// The layout of two histograms on one axis: A as an area, B as an outline, in the same bins of equal width. Pure
// functions.
import { ceilingOf, spikesOf, type Spike } from "./ceiling";
import { significant, tickTexts } from "../../base/text/format";
import { linearScale, ticks, type Scale } from "../../base/math/scale";

export interface HistogramInput {
  readonly edges: readonly number[]; // One more edge than bins.
  readonly a: readonly number[] | null;
  readonly b: readonly number[] | null;
}

export type HistogramView = "linear" | "log" | "cdf" | "error";

export interface HistogramLayout {
  readonly box: { l: number; r: number; t: number; b: number };
  readonly x: Scale;
  readonly y: (share: number) => number;
  readonly xTicks: readonly { at: number; text: string }[];
  readonly yTicks: readonly { at: number; text: string }[];
  readonly areaA: string;
  readonly outlineB: string;
  readonly zero: number;
  readonly spikes: readonly Spike[];
  /** The share of the values in each bin, in per cent, as drawn; the tooltip shows it. */
  readonly a: readonly number[] | null;
  readonly b: readonly number[] | null;
}

const FLOOR = 1e-4; // The lower end of a log axis, in per cent.

function shares(counts: readonly number[] | null): number[] | null {
  if (!counts) return null;
  const total = counts.reduce((sum, count) => sum + count, 0);
  return total > 0 ? counts.map((count) => (count / total) * 100) : null;
}

function cumulative(values: readonly number[] | null): number[] | null {
  if (!values) return null;
  let sum = 0;
  return values.map((value) => (sum += value));
}

/** The first and last bin with values, extended by one empty bin on either side. */
export function filledRange(...all: (readonly number[] | null)[]): [number, number] | null {
  let first = Infinity;
  let last = -Infinity;
  for (const counts of all) {
    counts?.forEach((count, i) => {
      if (count > 0) {
        first = Math.min(first, i);
        last = Math.max(last, i);
      }
    });
  }
  return first <= last ? [first, last] : null;
}

export function layoutHistogram(
  input: HistogramInput,
  view: HistogramView,
  width: number,
  height: number,
): HistogramLayout | null {
  const box = { l: 44, r: width - 10, t: 20, b: height - 34 };
  const range = filledRange(input.a, input.b);
  if (!range || box.r - box.l < 40 || box.b - box.t < 30) return null;
  const edge = (i: number): number => input.edges[i] ?? 0;
  const x = linearScale(edge(range[0]), edge(range[1] + 1), box.l, box.r);

  let [a, b] = [shares(input.a), shares(input.b)];
  if (view === "cdf") [a, b] = [cumulative(a), cumulative(b)];
  if (view === "error") [a, b] = [null, difference(a, b)];
  const ceiling =
    view === "linear" ? ceilingOf([a ?? [], b ?? []]) : Math.max(...(a ?? []), ...(b ?? []).map(Math.abs), 0);
  const y = yScale(view, ceiling, box);
  const zero = view === "log" ? box.b : y(0);
  const path = (values: readonly number[] | null): string => (values ? outline(values, range, edge, x, y, zero) : "");
  const marks = ticks(...x.domain, Math.max(4, Math.floor((box.r - box.l) / 90)));
  const texts = tickTexts(marks);
  return {
    box,
    x,
    y,
    zero,
    a,
    b,
    spikes: view === "linear" ? spikesOf([a ?? [], b ?? []], ceiling, input.edges, x, box.t) : [],
    areaA: path(a),
    outlineB: path(b),
    xTicks: marks.map((t, i) => ({ at: x(t), text: texts[i] ?? "" })),
    yTicks: yTicksOf(view, ceiling, y),
  };
}

function difference(a: readonly number[] | null, b: readonly number[] | null): number[] | null {
  if (!a || !b) return null;
  return a.map((value, i) => (b[i] ?? 0) - value);
}

function yScale(view: HistogramView, most: number, box: { t: number; b: number }): (v: number) => number {
  if (view === "log") {
    const inner = linearScale(Math.log10(FLOOR), Math.log10(most * 1.3), box.b, box.t);
    return (v) => inner(Math.log10(Math.max(v, FLOOR)));
  }
  if (view === "error") {
    const reach = Math.max(most, 1e-9) * 1.06;
    return linearScale(-reach, reach, box.b, box.t);
  }
  const inner = linearScale(0, view === "cdf" ? 100 : most, box.b, box.t);
  return (v) => inner(view === "cdf" ? v : Math.min(v, most));
}

function yTicksOf(view: HistogramView, most: number, y: (v: number) => number): { at: number; text: string }[] {
  const values =
    view === "log"
      ? [0.0001, 0.001, 0.01, 0.1, 1, 10, 100].filter((t) => t <= most * 1.3)
      : view === "cdf"
        ? [0, 25, 50, 75, 100]
        : view === "error"
          ? ticks(-most, most, 4)
          : ticks(0, most, 4);
  return values.map((value) => ({ at: y(value), text: significant(value, 3) }));
}

function outline(
  values: readonly number[],
  [first, last]: readonly [number, number],
  edge: (i: number) => number,
  x: Scale,
  y: (v: number) => number,
  zero: number,
): string {
  let d = `M${x(edge(first)).toFixed(1)} ${zero.toFixed(1)}`;
  for (let i = first; i <= last; i += 1) d += `V${y(values[i] ?? 0).toFixed(1)}H${x(edge(i + 1)).toFixed(1)}`;
  return `${d}V${zero.toFixed(1)}`;
}

export interface LimitLabel {
  /** Whether the text is to the right of its line. */
  readonly right: boolean;
  /** The row of the label: 0, or 1 if it would overlap the other label. */
  readonly row: number;
}

/**
 * The places of the "min" and "max" labels of a range; each needs `room` pixels. They are inside the range; outside if
 * the range is too narrow for both; in two rows if there is no space outside either.
 */
export function limitLabels(
  [low, high]: readonly [number, number],
  { l, r }: { l: number; r: number },
  room: number,
): readonly [LimitLabel, LimitLabel] {
  if (high - low >= 2 * room)
    return [
      { right: true, row: 0 },
      { right: false, row: 0 },
    ];
  const [lowRight, highRight] = [low - l < room, r - high >= room];
  return [
    { right: lowRight, row: 0 },
    { right: highRight, row: lowRight || !highRight ? 1 : 0 },
  ];
}
