// Precision and recall at many thresholds, and the figures that sum them up. Pure.
import { toNumber, type WireNumber } from "../../api/wire";

export interface PrAnswer {
  steps: number[];
  thresholds: WireNumber[][];
  precision: WireNumber[][];
  recall: WireNumber[][];
  true_positives: WireNumber[][];
  false_positives: WireNumber[][];
  false_negatives: WireNumber[][];
}

export interface PrCurve {
  readonly run: string;
  readonly step: number;
  readonly thresholds: readonly number[]; // Ascending, so that recall falls.
  readonly precision: readonly number[];
  readonly recall: readonly number[];
  readonly truePositives: readonly number[];
  readonly falsePositives: readonly number[];
  readonly falseNegatives: readonly number[];
}

/** The curve whose step is nearest to the one asked for; null: the newest. */
export function curveAt(run: string, answer: PrAnswer, step: number | null): PrCurve | null {
  if (answer.steps.length === 0) return null;
  let at = answer.steps.length - 1;
  if (step !== null) answer.steps.forEach((own, i) => { if (Math.abs(own - step) < Math.abs((answer.steps[at] ?? 0) - step)) at = i; });
  const row = (rows: WireNumber[][]): number[] => (rows[at] ?? []).map(toNumber);
  return {
    run, step: answer.steps[at] ?? 0, thresholds: row(answer.thresholds), precision: row(answer.precision), recall: row(answer.recall),
    truePositives: row(answer.true_positives), falsePositives: row(answer.false_positives), falseNegatives: row(answer.false_negatives),
  };
}

/** The area below the curve in steps: each precision counts for the recall that is lost after it. */
export function averagePrecision({ precision, recall }: PrCurve): number {
  return precision.reduce((sum, value, i) => sum + value * Math.max(0, (recall[i] ?? 0) - (recall[i + 1] ?? 0)), 0);
}

/** The greatest F1 of any threshold, and where that is. */
export function bestF1({ precision, recall, thresholds }: PrCurve): { readonly f1: number; readonly threshold: number } {
  let best = { f1: 0, threshold: NaN };
  precision.forEach((p, i) => {
    const r = recall[i] ?? 0;
    const f1 = p + r > 0 ? (2 * p * r) / (p + r) : 0;
    if (f1 > best.f1) best = { f1, threshold: thresholds[i] ?? NaN };
  });
  return best;
}

export const PLOT = { l: 40, t: 8, right: 12, bottom: 34 } as const;

export interface PrLayout {
  readonly box: { l: number; r: number; t: number; b: number };
  readonly x: (recall: number) => number;
  readonly y: (precision: number) => number;
  readonly paths: readonly string[];
}

export function layoutCurves(curves: readonly PrCurve[], width: number, height: number): PrLayout | null {
  const box = { l: PLOT.l, r: width - PLOT.right, t: PLOT.t, b: height - PLOT.bottom };
  if (box.r - box.l < 40 || box.b - box.t < 40) return null;
  const x = (recall: number): number => box.l + recall * (box.r - box.l);
  const y = (precision: number): number => box.b - precision * (box.b - box.t);
  return { box, x, y, paths: curves.map((curve) => (curve.recall.length > 0 ? `M${curve.recall.map((r, i) => `${x(r).toFixed(1)} ${y(curve.precision[i] ?? 0).toFixed(1)}`).join("L")}` : "")) };
}

/** The point of any curve that is nearest to a place, within `reach` pixels. */
export function nearestPoint(layout: PrLayout, curves: readonly PrCurve[], px: number, py: number, reach = 40): { curve: number; at: number } | null {
  let found: { curve: number; at: number } | null = null;
  let least = reach;
  curves.forEach(({ recall, precision }, curve) => recall.forEach((r, at) => {
    const far = Math.hypot(layout.x(r) - px, layout.y(precision[at] ?? 0) - py);
    if (far < least) [least, found] = [far, { curve, at }];
  }));
  return found;
}
