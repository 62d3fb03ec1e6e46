// Which step of either side is seen. Pure.

/** The newest step of a side that is not after `wanted`; its first when all are. */
export function stepAt(steps: readonly number[], wanted: number): number | null {
  return (
    steps.reduce<number | null>(
      (best, step) => (step <= wanted && (best === null || step > best) ? step : best),
      null,
    ) ??
    steps[0] ??
    null
  );
}

/** All steps of either side, once and in order. */
export function allSteps(a: readonly number[], b: readonly number[]): number[] {
  return [...new Set([...a, ...b])].sort((p, q) => p - q);
}
