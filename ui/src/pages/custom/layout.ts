// What custom charts are made of: tags named by regular expressions, which the whole tag must match.

export interface LayoutChart {
  readonly title: string;
  readonly tags?: readonly string[];
  readonly margins?: { readonly values: readonly string[]; readonly lowers: readonly string[]; readonly uppers: readonly string[] };
}

export interface LayoutsAnswer {
  categories: { title: string; closed: boolean; charts: LayoutChart[] }[];
  problems: string[];
}

/** The tags that a chart draws, in the order of its expressions; what is no expression is a name. */
export function matchingTags(patterns: readonly string[], names: readonly string[]): string[] {
  const found = new Set<string>();
  for (const pattern of patterns) {
    let matches = (name: string): boolean => name === pattern;
    try {
      const expression = new RegExp(`^(?:${pattern})$`, "u");
      matches = (name) => name === pattern || expression.test(name);
    } catch {
      // Kept as a name.
    }
    names.filter(matches).forEach((name) => found.add(name));
  }
  return [...found];
}
