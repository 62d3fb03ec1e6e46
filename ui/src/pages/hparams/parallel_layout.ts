// The layout of parallel coordinates: a vertical axis per column, a line per trial. Pure functions that convert values
// to pixels.
import { decimalsOfStep, fixed, significant } from "../../base/text/format";
import { extent, linearScale, logScale, logTicks, ticks } from "../../base/math/scale";
import { levelsOf, type Column, type Filter } from "./data";

export interface AxisLayout {
  readonly column: Column;
  readonly x: number;
  /** The position of a value; null if it is missing, NaN, or not positive on a log axis. */
  readonly y: (value: Column["values"][number]) => number | null;
  /** The value at a position; null on axes of words. */
  readonly invert: ((pixel: number) => number) | null;
  readonly ticks: readonly { at: number; text: string; value: string }[];
  readonly canLog: boolean;
}

export interface ParallelLayout {
  readonly top: number;
  readonly bottom: number;
  readonly axes: readonly AxisLayout[];
  readonly lines: readonly { path: string; index: number }[];
}

export interface AxisView {
  readonly log: ReadonlySet<string>;
  readonly flip: ReadonlySet<string>;
}

/** An axis from `bottom` to `top`. If the axis is horizontal, these are its left and right end. */
export function axisOf(column: Column, x: number, top: number, bottom: number, view: AxisView): AxisLayout {
  const [low, high] = view.flip.has(column.id) ? [top, bottom] : [bottom, top];
  const range = column.isNumeric ? extent(column.values.filter((v) => typeof v === "number")) : null;
  const levels = levelsOf(column);
  // If an axis has few different numbers, such as 4 and 8 bits, each of them has a tick.
  if (range && (levels.length > 8 || column.isMetric)) {
    const canLog = range[0] > 0 && range[1] > range[0];
    const isLog = canLog && view.log.has(column.id);
    const [lo, hi] = range[0] === range[1] ? [range[0] - 1, range[1] + 1] : range;
    const scale = isLog ? logScale(lo, hi, low, high) : linearScale(lo, hi, low, high);
    const values = isLog ? logTicks(lo, hi, 6) : ticks(lo, hi, 5);
    const decimals = decimalsOfStep((values[1] ?? 1) - (values[0] ?? 0));
    const text = (value: number): string =>
      isLog || decimals > 5 || Math.abs(value) >= 1e6 ? significant(value) : fixed(value, decimals);
    return {
      column,
      x,
      canLog,
      invert: (pixel) => scale.invert(pixel),
      y: (value) =>
        typeof value === "number" && Number.isFinite(value) && (!isLog || value > 0) ? scale(value) : null,
      ticks: values.map((value) => ({ at: scale(value), text: text(value), value: String(value) })),
    };
  }
  const place = new Map(levels.map((level, i) => [level, low + ((i + 0.5) / levels.length) * (high - low)] as const));
  const stride = Math.max(1, Math.ceil(levels.length / Math.max(1, Math.floor(Math.abs(bottom - top) / 16))));
  return {
    column,
    x,
    canLog: false,
    invert: null,
    y: (value) => (value === null ? null : (place.get(value) ?? null)),
    ticks: levels.flatMap((level, i) =>
      i % stride === 0
        ? [
            {
              at: place.get(level)!,
              text: typeof level === "number" ? significant(level) : String(level),
              value: String(level),
            },
          ]
        : [],
    ),
  };
}

const STUB = 5; // The width of the drag area on either side of an axis, in pixels.

/**
 * A line ends where a value is missing, and continues at the next axis with a value. A value between two missing ones
 * is drawn as a short horizontal line.
 */
function pathOf(axes: readonly AxisLayout[], index: number): string {
  const ys = axes.map((axis) => axis.y(axis.column.values[index] ?? null));
  const missing = (i: number): boolean => (ys[i] ?? null) === null;
  return axes
    .map(({ x }, i) => {
      const y = ys[i] ?? null;
      if (y === null) return "";
      if (missing(i - 1) && missing(i + 1)) return `M${(x - STUB).toFixed(1)} ${y.toFixed(1)}h${2 * STUB}`;
      return `${missing(i - 1) ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join("");
}

export function layoutParallel(
  columns: readonly Column[],
  width: number,
  height: number,
  view: AxisView,
): ParallelLayout | null {
  const [left, right, top, bottom] = [56, width - 72, 50, height - 16];
  if (columns.length === 0 || right - left < 80 || bottom - top < 60) return null;
  const step = columns.length > 1 ? (right - left) / (columns.length - 1) : 0;
  const axes = columns.map((column, i) => axisOf(column, left + i * step, top, bottom, view));
  const count = columns[0]?.values.length ?? 0;
  return {
    top,
    bottom,
    axes,
    lines: Array.from({ length: count }, (_, index) => ({ path: pathOf(axes, index), index })),
  };
}

/** The titles of the axes, without the first part of the tag if all metrics share it, to save space. */
export function axisTitles(columns: readonly Column[]): string[] {
  const metrics = columns.filter((column) => column.isMetric).map(({ label }) => label);
  const folder = metrics[0]?.slice(0, metrics[0].lastIndexOf("/") + 1) ?? "";
  const shared = metrics.every((label) => label.startsWith(folder)) ? folder : "";
  return columns.map(({ label, isMetric }) => (isMetric ? label.slice(shared.length) : label));
}

/** The position of each trial between the worst (0) and the best (1) value of a metric; null without a value. */
export function sharesOf(column: Column | undefined): (number | null)[] {
  const numbers = column?.values.map((v) => (typeof v === "number" ? v : NaN)) ?? [];
  const range = extent(numbers);
  return numbers.map((v) =>
    range && Number.isFinite(v) ? (range[1] > range[0] ? (v - range[0]) / (range[1] - range[0]) : 0.5) : null,
  );
}

const HEATS = 5;

/** The CSS class with the colour of each trial, from the worst to the best value of a metric. */
export function heatOf(column: Column | undefined): string[] {
  return sharesOf(column).map((share) =>
    share === null ? "heat-none" : `heat-${1 + Math.round(share * (HEATS - 1))}`,
  );
}

/** The filter for a selected part of an axis. */
export function filterOf(axis: AxisLayout, from: number, to: number): Filter | null {
  const [top, bottom] = [Math.min(from, to), Math.max(from, to)];
  if (axis.invert) {
    const [p, q] = [axis.invert(top), axis.invert(bottom)];
    return { min: Number(Math.min(p, q).toPrecision(6)), max: Number(Math.max(p, q).toPrecision(6)) };
  }
  const values = levelsOf(axis.column).filter((level) => {
    const y = axis.y(level);
    return y !== null && y >= top && y <= bottom;
  });
  return values.length > 0 ? { values: values.map(String) } : null;
}
