// How values of a metric are read, and the names of the policies. Whether a model passes, the server says
// (api/summary.ts).

/** The first is the usual one. */
export const POLICIES: readonly { readonly name: string }[] = [
  { name: "balanced" },
  { name: "accuracy first" },
  { name: "smallest" },
];

/** The limits that a policy may have, in the order in which they are shown. */
export const LIMITS = [
  { id: "drop", label: "Drop at most", unit: "pp" },
  { id: "ratio", label: "Size ratio at least", unit: "×" },
  { id: "speedup", label: "Speedup at least", unit: "×" },
  { id: "memory", label: "Memory gain at least", unit: "×" },
  { id: "power", label: "Power gain at least", unit: "×" },
] as const;

/** Whether a policy is written as rules: "drop<=0.5 ratio>=3". */
export const isRules = (policy: string): boolean => /[<>]/.test(policy);

/** By id, the limits of rules, as the server writes them ("drop ≤ 1 pp") or as the address does ("drop<=1"). */
export function limitsOfRules(rules: readonly string[]): Map<string, number> {
  return new Map(
    rules.flatMap((rule): [string, number][] => {
      const [, id, limit] = /^(\w+)\s*(?:<=|>=|≤|≥)\s*([\d.]+)/.exec(rule) ?? [];
      return id === undefined ? [] : [[id, Number(limit)]];
    }),
  );
}

/** The policy with these limits, as the address holds it; empty without any. */
export function rulesOf(limits: ReadonlyMap<string, number>): string {
  return LIMITS.flatMap(({ id }) => {
    const limit = limits.get(id);
    return limit === undefined ? [] : [`${id}${id === "drop" ? "<=" : ">="}${limit}`];
  }).join(" ");
}

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
