// Precision-recall curves over many thresholds, and the metrics that summarize them. Pure functions.
import type { PrResponse } from "../../api/media";
import { type WireNumber, toNumber } from "../../api/shape";
import { linearScale, type Scale } from "../../base/math/scale";

export interface PrCurve {
  readonly run: string;
  readonly step: number;
  readonly thresholds: readonly number[]; // In ascending order, so that recall decreases.
  readonly precision: readonly number[];
  readonly recall: readonly number[];
  readonly truePositives: readonly number[];
  readonly falsePositives: readonly number[];
  readonly falseNegatives: readonly number[];
}

/** The curve at the step nearest to `step`. null means the newest curve. */
export function curveAt(run: string, response: PrResponse, step: number | null): PrCurve | null {
  if (response.steps.length === 0) return null;
  let at = response.steps.length - 1;
  if (step !== null)
    response.steps.forEach((own, i) => {
      if (Math.abs(own - step) < Math.abs((response.steps[at] ?? 0) - step)) at = i;
    });
  const row = (rows: readonly (readonly WireNumber[])[]): number[] => (rows[at] ?? []).map(toNumber);
  return {
    run,
    step: response.steps[at] ?? 0,
    thresholds: row(response.thresholds),
    precision: row(response.precision),
    recall: row(response.recall),
    truePositives: row(response.true_positives),
    falsePositives: row(response.false_positives),
    falseNegatives: row(response.false_negatives),
  };
}

/**
 * Whether the labels had positives. Without them, recall is not defined, and writers log a recall of 0 at every
 * threshold.
 */
export const hasPositives = ({ truePositives, falseNegatives }: PrCurve): boolean =>
  truePositives.some((count, i) => count + (falseNegatives[i] ?? 0) > 0);

/**
 * Average precision: the area below the curve as steps, where each precision is weighted by the decrease of recall
 * after it. Precision may be NaN at thresholds above which nothing was predicted as positive; recall does not decrease
 * at these thresholds.
 */
export function averagePrecision({ precision, recall }: PrCurve): number {
  return precision.reduce((sum, value, i) => {
    const lost = Math.max(0, (recall[i] ?? 0) - (recall[i + 1] ?? 0));
    return lost > 0 ? sum + value * lost : sum;
  }, 0);
}

/** The largest F1 over all thresholds, and its threshold. */
export function bestF1({ precision, recall, thresholds }: PrCurve): {
  readonly f1: number;
  readonly threshold: number;
} {
  let best = { f1: 0, threshold: NaN };
  precision.forEach((p, i) => {
    const r = recall[i] ?? 0;
    const f1 = p + r > 0 ? (2 * p * r) / (p + r) : 0;
    if (f1 > best.f1) best = { f1, threshold: thresholds[i] ?? NaN };
  });
  return best;
}

const PLOT = { l: 40, t: 8, right: 12, bottom: 34 } as const;

/** The visible part of the axes: min and max of recall, then min and max of precision. */
export type PrRange = readonly [number, number, number, number];
export const WHOLE: PrRange = [0, 1, 0, 1];

/** Reads the visible part from the address: "0.8~1~0.9~1". Invalid text gives the whole range. */
export function readRange(text: string | null): PrRange {
  const [a = NaN, b = NaN, c = NaN, d = NaN] = (text ?? "")
    .split("~")
    .map((part) => (part === "" ? NaN : Number(part)));
  return a >= 0 && b <= 1 && c >= 0 && d <= 1 && b - a >= 0.001 && d - c >= 0.001 ? [a, b, c, d] : WHOLE;
}

export function rangeText(range: PrRange): string | null {
  const text = range.map((value) => Number(Math.max(0, Math.min(1, value)).toFixed(4))).join("~");
  return text === WHOLE.join("~") ? null : text;
}

export interface PrLayout {
  readonly box: { l: number; r: number; t: number; b: number };
  readonly x: Scale;
  readonly y: Scale;
  readonly paths: readonly string[];
}

export function layoutCurves(
  curves: readonly PrCurve[],
  width: number,
  height: number,
  [left, right, low, high]: PrRange = WHOLE,
): PrLayout | null {
  const box = { l: PLOT.l, r: width - PLOT.right, t: PLOT.t, b: height - PLOT.bottom };
  if (box.r - box.l < 40 || box.b - box.t < 40) return null;
  const x = linearScale(left, right, box.l, box.r);
  const y = linearScale(low, high, box.b, box.t);
  const path = ({ recall, precision }: PrCurve): string => {
    const places = recall.flatMap((r, i) =>
      Number.isFinite(r + (precision[i] ?? NaN)) ? [`${x(r).toFixed(1)} ${y(precision[i]!).toFixed(1)}`] : [],
    );
    return places.length > 0 ? `M${places.join("L")}` : "";
  };
  return { box, x, y, paths: curves.map(path) };
}

/**
 * The visible point, among the points of all curves, that is nearest to a position. Null if no point is within `reach`
 * pixels.
 */
export function nearestPoint(
  { box, x, y }: PrLayout,
  curves: readonly PrCurve[],
  px: number,
  py: number,
  reach = 40,
): { curve: number; at: number } | null {
  let found: { curve: number; at: number } | null = null;
  let least = reach;
  curves.forEach(({ recall, precision }, curve) =>
    recall.forEach((r, at) => {
      const [cx, cy] = [x(r), y(precision[at] ?? 0)];
      const far = Math.hypot(cx - px, cy - py);
      if (far < least && cx >= box.l - 1 && cx <= box.r + 1 && cy >= box.t - 1 && cy <= box.b + 1)
        [least, found] = [far, { curve, at }];
    }),
  );
  return found;
}

/** The point of a curve at a threshold: the point with the largest threshold that is not above the given one. */
export function atThreshold({ thresholds }: PrCurve, threshold: number): number {
  let at = -1;
  thresholds.forEach((own, i) => {
    if (own <= threshold + 1e-9) at = i;
  });
  return at;
}
