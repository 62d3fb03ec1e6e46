// The tags of custom charts: regular expressions that the whole tag must match.

import type { LayoutChart } from "../../api/scalars";

/** A value and its bounds, where all three are named. */
export function marginsOf({
  values,
  lowers,
  uppers,
}: NonNullable<LayoutChart["margins"]>): { readonly value: string; readonly lower: string; readonly upper: string }[] {
  return values.flatMap((value, i) => {
    const [lower, upper] = [lowers[i] ?? "", uppers[i] ?? ""];
    return value && lower && upper ? [{ value, lower, upper }] : [];
  });
}

// Expressions come from the logs, and nobody vouches for those: one that repeats what repeats, or
// repeats often, can take longer to fail than a page can wait.
const MAX_REPEATS = 4;
const LONGEST_NAME = 200;

function isTame(pattern: string): boolean {
  const plain = pattern.replace(/\\./g, "x").replace(/\[[^\]]*\]/g, "x");
  return (
    !/\)[*+{?]/.test(plain) && !/\\[1-9k]|\(\?[^:]/.test(pattern) && (plain.match(/[*+{]/g) ?? []).length <= MAX_REPEATS
  );
}

/** The tags that a chart draws, in the order of its expressions; what is no expression, or one that
 * cannot be trusted, is a name. */
export function matchingTags(patterns: readonly string[], names: readonly string[]): string[] {
  const found = new Set<string>();
  for (const pattern of patterns) {
    let matches = (name: string): boolean => name === pattern;
    try {
      const expression = new RegExp(`^(?:${pattern})$`, "u");
      if (isTame(pattern))
        matches = (name) => name === pattern || (name.length <= LONGEST_NAME && expression.test(name));
    } catch {
      // Kept as a name.
    }
    names.filter(matches).forEach((name) => found.add(name));
  }
  return [...found];
}
