// Chooses the step that is shown of A and of B. Pure functions.

/** The newest step that is not after `wanted`; the first step if all are after it. */
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

/** All steps of A and B, sorted and without duplicates. */
export function allSteps(a: readonly number[], b: readonly number[]): number[] {
  return [...new Set([...a, ...b])].sort((p, q) => p - q);
}
