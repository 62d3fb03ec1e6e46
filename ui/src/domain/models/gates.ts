// How values of a metric are read, and the names of the policies. Whether a model passes, the server says
// (api/summary.ts).

/** The first is the usual one. */
export const POLICIES: readonly { readonly name: string }[] = [
  { name: "balanced" },
  { name: "accuracy first" },
  { name: "smallest" },
];

/** Measured values only: a gate on a derived metric would count its source twice. */
export interface Values {
  measured(variant: string, metric: string): number | null;
}

/** Whether values are shares of one, to be shown in per cent. */
export function isFraction(metric: { readonly unit: string; readonly higherIsBetter: boolean | null }): boolean {
  return metric.unit === "" && metric.higherIsBetter === true;
}

/** Accuracy is a fraction, but many log per cent. */
export function asFraction(accuracy: number): number {
  return accuracy > 1.5 ? accuracy / 100 : accuracy;
}

/** How many times better `b` is than `a`; null without two positive numbers. */
export function gain(a: number | null, b: number | null, higherIsBetter: boolean): number | null {
  if (a === null || b === null || !(a > 0) || !(b > 0)) return null;
  return higherIsBetter ? b / a : a / b;
}
