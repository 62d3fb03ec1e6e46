// Finds the tags of custom charts: their regular expressions must match the whole tag.

import type { LayoutChart } from "../../api/scalars";

/** A value and its bounds, for layouts that name the value and both bounds. */
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

// Whether a regular expression is safe to run. Expressions come from logs and are not trusted: nested or many
// repetitions can take exponential time.
const MAX_REPEATS = 4;
const LONGEST_NAME = 200;

function isTame(pattern: string): boolean {
  const plain = pattern.replace(/\\./g, "x").replace(/\[[^\]]*\]/g, "x");
  return (
    !/\)[*+{?]/.test(plain) && !/\\[1-9k]|\(\?[^:]/.test(pattern) && (plain.match(/[*+{]/g) ?? []).length <= MAX_REPEATS
  );
}

/**
 * The tags that a chart draws, in the order of its expressions. An invalid or unsafe expression is taken as a literal
 * tag.
 */
export function matchingTags(patterns: readonly string[], names: readonly string[]): string[] {
  const found = new Set<string>();
  for (const pattern of patterns) {
    let matches = (name: string): boolean => name === pattern;
    try {
      const expression = new RegExp(`^(?:${pattern})$`, "u");
      if (isTame(pattern))
        matches = (name) => name === pattern || (name.length <= LONGEST_NAME && expression.test(name));
    } catch {
      // Treated as a literal tag.
    }
    names.filter(matches).forEach((name) => found.add(name));
  }
  return [...found];
}
