// The layout of a line chart: converts values to pixels. Pure.
import { leftOf } from "../drawing/axis_labels";
import { tickText, tickTexts } from "../../base/text/format";
import type { RunLook } from "../../domain/runs/run_look";
import { extent, linearScale, logScale, logTicks, padded, ticks, type Scale } from "../../base/math/scale";

export interface Line {
  readonly name: string;
  /** The look of the line, if its name does not determine it. */
  readonly look?: RunLook;
  readonly xs: ArrayLike<number>;
  readonly ys: ArrayLike<number>;
  /** The smoothed values. They are drawn in full colour over the faint raw values. */
  readonly smooth: ArrayLike<number> | null;
  /** The spread of a group of runs, drawn as an area around its mean. */
  readonly band?: { readonly low: ArrayLike<number>; readonly high: ArrayLike<number> };
}

export interface LineChartOptions {
  readonly width: number;
  readonly height: number;
  readonly logX: boolean;
  readonly logY: boolean;
  /** If true, the smallest and largest 0.5 % of the values are ignored in the choice of the y range. */
  readonly clipOutliers: boolean;
  readonly xRange: readonly [number, number] | null;
  /** Fixed limits of the y axis. null means that the limit follows the values. */
  readonly yRange: readonly [number | null, number | null] | null;
  /** Whether the y axis includes 0. */
  readonly fromZero?: boolean;
  /** Chooses the ticks of a linear x axis; default: round numbers. */
  readonly xTicks?: (lo: number, hi: number, wanted: number) => number[];
  /** The label of a tick; an empty label removes the tick. */
  readonly xText: (x: number, step: number) => string;
  /** The name of the x axis, shown before the first tick; empty if the tick labels make it clear. */
  readonly xName?: string;
}

export interface Tick {
  readonly at: number;
  readonly text: string;
}

export interface LineChartLayout {
  readonly box: { l: number; r: number; t: number; b: number };
  readonly x: Scale;
  readonly y: Scale;
  readonly xTicks: readonly Tick[];
  readonly yTicks: readonly Tick[];
  readonly xName: string;
  /** Returns the text for an x value, for example in a tooltip. */
  readonly xText: (x: number) => string;
  /** The reason why the chart is empty; empty if it shows a line. */
  readonly why: string;
  /** The points with non-finite values, one list per line. */
  readonly nonFinite: readonly (readonly { x: number; value: number }[])[];
}

const LEFT = 48; // The space for the labels of the y axis, if they are not longer.
const LONG_STEP = 12; // Longer labels of steps are replaced by their difference to a round number.
const BOTTOM = 22;
const LETTER = 6; // The approximate width of a character in pixels.
const MAX_TICKS = 10;
const SAMPLE = 20_000;

/** The range of the values without outliers. */
export function robustRange(values: ArrayLike<number>, share = 0.005): [number, number] | null {
  // Uses the browser's sort, because it is native code and faster than a script for so few values.
  const sorted = Float64Array.from(values).sort();
  let [first, last] = [0, sorted.length - 1];
  while (first <= last && !Number.isFinite(sorted[first])) first += 1;
  while (first <= last && !Number.isFinite(sorted[last])) last -= 1; // NaN is sorted to the end.
  if (first > last) return null;
  const count = last - first + 1;
  const cut = count < 40 ? 0 : Math.floor(count * share);
  return [sorted[first + cut]!, sorted[last - cut]!];
}

/**
 * Every `stride`-th value of each line in the range. Each line starts at another offset, so that a pattern with the
 * period `stride` is not missed in all lines.
 */
function yValues(lines: readonly Line[], [x0, x1]: readonly [number, number], stride: number): Float64Array {
  const most = lines.reduce((sum, line) => sum + Math.ceil(line.ys.length / stride) * (line.band ? 3 : 1), 0);
  const values = new Float64Array(most);
  let count = 0;
  lines.forEach(({ xs, ys, band }, k) => {
    for (let i = k % stride; i < ys.length; i += stride) {
      const x = xs[i] ?? NaN;
      if (!(x >= x0 && x <= x1)) continue;
      values[count++] = ys[i] ?? NaN;
      if (!band) continue;
      values[count++] = band.low[i] ?? NaN;
      values[count++] = band.high[i] ?? NaN;
    }
  });
  return values.subarray(0, count);
}

type Range = readonly [number, number] | null;

// The cached y range of the lines of a chart, by the array of values of the first line. The key is the array of values
// and not the line, because smoothing creates new line objects with the same values.
const ranges = new WeakMap<
  object,
  { readonly values: readonly ArrayLike<number>[]; readonly request: string; readonly range: Range }
>();

function yRangeOf(lines: readonly Line[], domain: readonly [number, number], options: LineChartOptions): Range {
  // A sample of the values is enough to find the outermost 0.5 %. The exact min and max need all values.
  const points = lines.reduce((sum, line) => sum + line.ys.length, 0);
  const stride = options.clipOutliers ? Math.max(1, Math.ceil(points / SAMPLE)) : 1;
  const request = [...domain, options.logY, options.clipOutliers].join();
  const before = ranges.get(lines[0]!.ys);
  const same =
    before?.request === request &&
    before.values.length === 2 * lines.length &&
    lines.every((line, i) => !line.band && before.values[2 * i] === line.xs && before.values[2 * i + 1] === line.ys);
  if (same) return before.range;
  const values = yValues(lines, domain, stride);
  const usable = options.logY ? values.filter((v) => v > 0) : values;
  const range = options.clipOutliers ? robustRange(usable) : extent(usable);
  ranges.set(lines[0]!.ys, { values: lines.flatMap((line) => [line.xs, line.ys]), request, range });
  return range;
}

function yScaleOf(found: Range, options: LineChartOptions, bottom: number, top: number): Scale {
  const [low, high] = options.yRange ?? [null, null];
  if (options.logY) {
    const [lo, hi] = found ?? [0.1, 10];
    const room = lo === hi ? 2 : (hi / lo) ** 0.05;
    const least = low !== null && low > 0 ? low : lo / room;
    return logScale(least, high !== null && high > least ? high : Math.max(hi * room, least * 2), bottom, top);
  }
  let [lo, hi] = padded(found ?? [0, 1]);
  if (options.fromZero && found) [lo, hi] = [found[0] >= 0 ? 0 : lo, found[1] <= 0 ? 0 : hi];
  lo = low ?? lo;
  hi = high ?? hi;
  return hi > lo
    ? linearScale(lo, hi, bottom, top)
    : linearScale(...padded([Math.min(lo, hi), Math.min(lo, hi)]), bottom, top);
}

/** The start of a log axis for data that begins at 0: the smallest x above 0. */
function leastAbove0(lines: readonly Line[]): number {
  return lines.reduce((least, { xs }) => {
    let i = 0;
    while (i < xs.length && !((xs[i] ?? 0) > 0)) i += 1;
    return Math.min(least, xs[i] ?? Infinity);
  }, Infinity);
}

/** About as many x ticks as there is space for their labels. */
function xTicksOf([d0, d1]: readonly [number, number], width: number, options: LineChartOptions): number[] {
  const letters = Math.max(...[d0, d1].map((x) => options.xText(Math.round(x), (d1 - d0) / MAX_TICKS).length));
  return (options.xTicks ?? ticks)(
    d0,
    d1,
    Math.min(MAX_TICKS, Math.max(2, Math.floor(width / Math.max(48, letters * LETTER + 24)))),
  );
}

/**
 * The round number that all labels of a linear x axis leave out, because they have it in common and are too long with
 * it; 0 if they are short enough. The axis then shows differences to it.
 */
function baseOf([d0, d1]: readonly [number, number], options: LineChartOptions): number {
  if (options.xTicks || options.xText(Math.round(d1), (d1 - d0) / MAX_TICKS).length <= LONG_STEP) return 0;
  const unit = 10 ** Math.ceil(Math.log10(d1 - d0));
  return Math.floor(d0 / unit) * unit;
}

/** Null if there is no space or no line: axes without data would be misleading. */
export function layoutLines(lines: readonly Line[], options: LineChartOptions): LineChartLayout | null {
  if (lines.length === 0) return null;
  const [top, bottom, right] = [8, options.height - BOTTOM, options.width - 10];
  if (right - LEFT < 40 || bottom - top < 30) return null;
  const allX = extent(lines.flatMap((line) => (line.xs.length ? [line.xs[0]!, line.xs[line.xs.length - 1]!] : [])));
  // A line with a single point gets a margin, so that the point is not on the edge.
  const [x0, x1] = options.xRange ??
    (allX && lines.every(({ xs }) => xs.length < 2) && !options.logX ? padded(allX) : allX) ?? [0, 1];
  const logX = options.logX && x1 > 0;
  const [d0, d1] = logX
    ? [Math.max(x0 > 0 ? x0 : Math.min(leastAbove0(lines), x1), x1 / 1e6, 1e-9), x1 === x0 ? x1 * 2 : x1]
    : x1 === x0
      ? [x0 - 0.5, x0 + 0.5]
      : [x0, x1];
  const isFixed = options.yRange !== null && options.yRange[0] !== null && options.yRange[1] !== null;
  const found = isFixed ? null : yRangeOf(lines, [d0, d1], options);
  const isEmpty = found === null && !isFixed;
  const y = yScaleOf(found, options, bottom, top);
  const ys = y.log ? logTicks(...y.domain, 6) : ticks(...y.domain, bottom - top > 140 ? 5 : 3);
  const yTexts = y.log ? ys.map(tickText) : tickTexts(ys);

  // No tick labels on a y axis without data, because they would be misleading.
  const box = { l: Math.min(leftOf(isEmpty ? [] : yTexts, LEFT), right - 40), r: right, t: top, b: bottom };
  const x = logX ? logScale(d0, d1, box.l, box.r) : linearScale(d0, d1, box.l, box.r);
  const base = logX ? 0 : baseOf([d0, d1], options);
  const xText: LineChartOptions["xText"] = (value, step) => options.xText(value - base, step);
  const xs = x.log
    ? logTicks(d0, d1, Math.max(2, Math.floor((box.r - box.l) / 70)))
    : xTicksOf([d0 - base, d1 - base], box.r - box.l, options).map((value) => value + base);
  const xName = options.xName ?? "";
  return {
    box,
    x,
    y,
    xTicks: xs
      .map((value) => ({ at: x(value), text: xText(value, (xs[1] ?? 1) - (xs[0] ?? 0)) }))
      .filter((tick) => tick.text !== ""),
    yTicks: isEmpty ? [] : ys.map((value, i) => ({ at: y(value), text: yTexts[i] ?? "" })),
    why: !isEmpty ? "" : options.logY ? "no value above 0, which a log axis needs" : "no finite values in this chart",
    xName: base === 0 ? xName : `${xName} − ${options.xText(base, 0)}`,
    xText: (value) => options.xText(value, 0),
    nonFinite: lines.map((line) => holesOf(line)),
  };
}

type NonFinite = { readonly x: number; readonly value: number };

// Caches the non-finite points by the array of values: every zoom makes a new layout, and smoothing creates new line
// objects.
const known = new WeakMap<object, { readonly xs: ArrayLike<number>; readonly nonFinite: readonly NonFinite[] }>();

function holesOf(line: Line): readonly NonFinite[] {
  const before = known.get(line.ys);
  if (before?.xs === line.xs) return before.nonFinite;
  const nonFinite: NonFinite[] = [];
  for (let i = isWhole(line.ys) ? line.ys.length : 0; i < line.ys.length; i += 1) {
    const value = line.ys[i] ?? NaN;
    if (!Number.isFinite(value)) nonFinite.push({ x: line.xs[i] ?? 0, value });
  }
  known.set(line.ys, { xs: line.xs, nonFinite });
  return nonFinite;
}

/**
 * Whether all values are known to be finite. False for arrays that are not typed: only typed arrays are searched by
 * native code.
 */
function isWhole(values: ArrayLike<number>): boolean {
  const isColumn = values instanceof Float32Array || values instanceof Float64Array;
  return isColumn && !values.includes(NaN) && !values.includes(Infinity) && !values.includes(-Infinity);
}

/** The index of the point nearest to `x`, by bisection; -1 without points. `xs` must be ascending. */
export function nearestIndex(xs: ArrayLike<number>, x: number): number {
  if (xs.length === 0) return -1;
  let lo = 0;
  let hi = xs.length - 1;
  while (hi - lo > 1) {
    const middle = (lo + hi) >> 1;
    if ((xs[middle] ?? 0) <= x) lo = middle;
    else hi = middle;
  }
  return Math.abs((xs[lo] ?? 0) - x) <= Math.abs((xs[hi] ?? 0) - x) ? lo : hi;
}

/** TensorBoard's smoothing: an exponential moving average with debiasing; non-finite values are skipped. */
export function smoothed(ys: ArrayLike<number>, weight: number): Float64Array {
  const result = new Float64Array(ys.length);
  const share = 1 - weight;
  let last = 0;
  // The weight of the initial zero before the first value; 0 when it has become negligible.
  let rest = weight > 0 ? 1 : 0;
  for (let i = 0; i < ys.length; i += 1) {
    const y = ys[i]!;
    if (y - y !== 0) {
      result[i] = y;
      continue;
    }
    last = last * weight + share * y;
    if (rest > 0) {
      rest *= weight;
      if (1 - rest === 1) rest = 0;
    }
    result[i] = rest > 0 ? last / (1 - rest) : last;
  }
  return result;
}
