// Names of policies, and how values of metrics are interpreted. The server decides whether a model passes
// (api/compression/summary.ts).

/** The first policy is the default. */
export const POLICIES: readonly { readonly name: string }[] = [
  { name: "balanced" },
  { name: "accuracy first" },
  { name: "smallest" },
];

/** The limits that a policy may have, in the order of the menu. */
export const LIMITS = [
  { id: "drop", label: "Drop at most", unit: "pp" },
  { id: "ratio", label: "Size ratio at least", unit: "×" },
  { id: "speedup", label: "Speedup at least", unit: "×" },
  { id: "memory", label: "Memory gain at least", unit: "×" },
  { id: "power", label: "Power gain at least", unit: "×" },
] as const;

/** Whether the text of a policy is a list of rules, not a name: "drop<=0.5 ratio>=3". */
export const isRules = (policy: string): boolean => /[<>]/.test(policy);

/** The limit of each rule by its id, from the server's form ("drop ≤ 1 pp") or the address's form ("drop<=1"). */
export function limitsOfRules(rules: readonly string[]): Map<string, number> {
  return new Map(
    rules.flatMap((rule): [string, number][] => {
      const [, id, limit] = /^(\w+)\s*(?:<=|>=|≤|≥)\s*([\d.]+)/.exec(rule) ?? [];
      return id === undefined ? [] : [[id, Number(limit)]];
    }),
  );
}

/** The rules for the given limits as they are written in the address; empty if there are no limits. */
export function rulesOf(limits: ReadonlyMap<string, number>): string {
  return LIMITS.flatMap(({ id }) => {
    const limit = limits.get(id);
    return limit === undefined ? [] : [`${id}${id === "drop" ? "<=" : ">="}${limit}`];
  }).join(" ");
}

/** Whether values of the metric are fractions, to be shown in per cent. */
export function isFraction(metric: { readonly unit: string; readonly higherIsBetter: boolean | null }): boolean {
  return metric.unit === "" && metric.higherIsBetter === true;
}

/** The accuracy as a fraction. Values above 1.5 are taken as per cent, because many users log per cent. */
export function asFraction(accuracy: number): number {
  return accuracy > 1.5 ? accuracy / 100 : accuracy;
}

/** The ratio by which `b` is better than `a`; null unless both are positive. */
export function gain(a: number | null, b: number | null, higherIsBetter: boolean): number | null {
  if (a === null || b === null || !(a > 0) || !(b > 0)) return null;
  return higherIsBetter ? b / a : a / b;
}
