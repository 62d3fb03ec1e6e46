// Where the lines of a chart go. Pure: values in, pixels out.
import { tickText, tickTexts } from "../../base/text/format";
import type { RunLook } from "../../domain/runs/run_look";
import { extent, linearScale, logScale, logTicks, padded, ticks, type Scale } from "../../base/math/scale";

export interface Line {
  readonly name: string;
  /** How it looks where that does not follow from its name. */
  readonly look?: RunLook;
  readonly xs: ArrayLike<number>;
  readonly ys: ArrayLike<number>;
  /** The smoothed values; drawn strong over the faint raw ones. */
  readonly smooth: ArrayLike<number> | null;
  /** The spread around it, as an area: of a group of runs. */
  readonly band?: { readonly low: ArrayLike<number>; readonly high: ArrayLike<number> };
}

export interface LineChartOptions {
  readonly width: number;
  readonly height: number;
  readonly logX: boolean;
  readonly logY: boolean;
  /** Ignore the outermost half per cent of the values when choosing the y range. */
  readonly clipOutliers: boolean;
  readonly xRange: readonly [number, number] | null;
  /** Fixed limits; an end that is null follows the values. */
  readonly yRange: readonly [number | null, number | null] | null;
  /** Whether the y axis begins at 0, or ends there. */
  readonly fromZero?: boolean;
  /** Where ticks of an even x axis may stand; at round numbers without it. */
  readonly xTicks?: (lo: number, hi: number, wanted: number) => number[];
  /** The label of a tick; an empty label removes the tick. */
  readonly xText: (x: number, step: number) => string;
  /** The name of the x axis, before the first tick; empty where the ticks say it. */
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
  /** Any x in words. */
  readonly xText: (x: number) => string;
  /** Why no line is seen, or nothing. */
  readonly why: string;
  /** Places where a value is no number, one list per line. */
  readonly nonFinite: readonly (readonly { x: number; value: number }[])[];
}

const LEFT = 48;
const BOTTOM = 22;
const LETTER = 6; // Pixels, about.
const MAX_TICKS = 10;
const SAMPLE = 20_000;

/** The range that all but the outermost values lie in. */
export function robustRange(values: ArrayLike<number>, share = 0.005): [number, number] | null {
  // The browser's own sorting needs no script that was never run before, which takes longer for so few.
  const sorted = Float64Array.from(values).sort();
  let [first, last] = [0, sorted.length - 1];
  while (first <= last && !Number.isFinite(sorted[first])) first += 1;
  while (first <= last && !Number.isFinite(sorted[last])) last -= 1; // NaN is behind everything.
  if (first > last) return null;
  const count = last - first + 1;
  const cut = count < 40 ? 0 : Math.floor(count * share);
  return [sorted[first + cut]!, sorted[last - cut]!];
}

/**
 * Every `stride`-th value of each line in the range. Lines begin at different offsets, so that a pattern that
 * repeats after `stride` points is neither missed in all lines nor taken for all values.
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

// The last range of the lines that begin with these values: smoothing makes other lines of the same values.
const ranges = new WeakMap<
  object,
  { readonly values: readonly ArrayLike<number>[]; readonly request: string; readonly range: Range }
>();

function yRangeOf(lines: readonly Line[], domain: readonly [number, number], options: LineChartOptions): Range {
  // Which values are the outermost half per cent shows in a sample as well; the very last one does not.
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

/** Where a log axis begins that would begin at 0: at the first x above it. */
function leastAbove0(lines: readonly Line[]): number {
  return lines.reduce((least, { xs }) => {
    let i = 0;
    while (i < xs.length && !((xs[i] ?? 0) > 0)) i += 1;
    return Math.min(least, xs[i] ?? Infinity);
  }, Infinity);
}

/** About as many ticks as their words have room. */
function xTicksOf([d0, d1]: readonly [number, number], width: number, options: LineChartOptions): number[] {
  const letters = Math.max(...[d0, d1].map((x) => options.xText(Math.round(x), (d1 - d0) / MAX_TICKS).length));
  return (options.xTicks ?? ticks)(
    d0,
    d1,
    Math.min(MAX_TICKS, Math.max(2, Math.floor(width / Math.max(48, letters * LETTER + 24)))),
  );
}

/** Null while there is no room, or nothing to draw: axes of no data would tell something untrue. */
export function layoutLines(lines: readonly Line[], options: LineChartOptions): LineChartLayout | null {
  if (lines.length === 0) return null;
  const box = { l: LEFT, r: options.width - 10, t: 8, b: options.height - BOTTOM };
  if (box.r - box.l < 40 || box.b - box.t < 30) return null;
  const allX = extent(lines.flatMap((line) => (line.xs.length ? [line.xs[0]!, line.xs[line.xs.length - 1]!] : [])));
  // Single points stand inside, not on the edge.
  const [x0, x1] = options.xRange ??
    (allX && lines.every(({ xs }) => xs.length < 2) && !options.logX ? padded(allX) : allX) ?? [0, 1];
  const x =
    options.logX && x1 > 0
      ? logScale(
          Math.max(x0 > 0 ? x0 : Math.min(leastAbove0(lines), x1), x1 / 1e6, 1e-9),
          x1 === x0 ? x1 * 2 : x1,
          box.l,
          box.r,
        )
      : linearScale(...(x1 === x0 ? ([x0 - 0.5, x0 + 0.5] as const) : ([x0, x1] as const)), box.l, box.r);
  const [d0, d1] = x.domain;
  const isFixed = options.yRange !== null && options.yRange[0] !== null && options.yRange[1] !== null;
  const found = isFixed ? null : yRangeOf(lines, x.domain, options);
  const isEmpty = found === null && !isFixed;
  const y = yScaleOf(found, options, box.b, box.t);

  const xs = x.log
    ? logTicks(d0, d1, Math.max(2, Math.floor((box.r - box.l) / 70)))
    : xTicksOf(x.domain, box.r - box.l, options);
  const ys = y.log ? logTicks(...y.domain, 6) : ticks(...y.domain, box.b - box.t > 140 ? 5 : 3);
  const yTexts = y.log ? ys.map(tickText) : tickTexts(ys);
  return {
    box,
    x,
    y,
    xTicks: xs
      .map((value) => ({ at: x(value), text: options.xText(value, (xs[1] ?? 1) - (xs[0] ?? 0)) }))
      .filter((tick) => tick.text !== ""),
    // Numbers at an axis on which nothing stands would tell something untrue.
    yTicks: isEmpty ? [] : ys.map((value, i) => ({ at: y(value), text: yTexts[i] ?? "" })),
    why: !isEmpty ? "" : options.logY ? "nothing above 0 for a log axis" : "no numbers here",
    xName: options.xName ?? "",
    xText: (value) => options.xText(value, 0),
    nonFinite: lines.map((line) => holesOf(line)),
  };
}

type NonFinite = { readonly x: number; readonly value: number };

// Looked for once, by their values: a chart is laid out with every zoom, and smoothing makes other lines.
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

/** Whether every value is a number; not known of anything but columns, which the browser looks through itself. */
function isWhole(values: ArrayLike<number>): boolean {
  const isColumn = values instanceof Float32Array || values instanceof Float64Array;
  return isColumn && !values.includes(NaN) && !values.includes(Infinity) && !values.includes(-Infinity);
}

/** The index of the point nearest to `x`, by bisection; -1 without points. Needs ascending xs. */
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

/** TensorBoard's smoothing: an exponential mean with the start debiased; nonFinite are passed over. */
export function smoothed(ys: ArrayLike<number>, weight: number): Float64Array {
  const result = new Float64Array(ys.length);
  const share = 1 - weight;
  let last = 0;
  let rest = weight > 0 ? 1 : 0; // The weight of what was before the first value; 0 when it no longer counts.
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
