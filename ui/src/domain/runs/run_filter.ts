// The syntax of the run filter: words that are regular expressions, and conditions on logged
// values: `resnet acc>0.9 size<20`.

const OPERATORS = ["<", "<=", ">", ">=", "="] as const;

export interface Condition {
  readonly metric: string;
  readonly operator: (typeof OPERATORS)[number];
  readonly value: number;
}

export interface RunFilter {
  readonly patterns: readonly RegExp[];
  readonly conditions: readonly Condition[];
  /** The reason why the filter is invalid; an invalid filter accepts all runs. */
  readonly problem: string | null;
}

const NUMBER = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?`;
const UNIT = "(?:pp|%|x|×|mb|ms|db)?";
const CONDITION = new RegExp(`^([\\w./-]+?)(<=|>=|<|>|=)(${NUMBER})${UNIT}$`, "i");
const SPACED = new RegExp(`([\\w./-]+)\\s*(<=|>=|≤|≥|<|>|=)\\s*(?=${NUMBER}${UNIT}(?:\\s|$))`, "gi");

/** The words of a filter; "drop < 1" becomes one word, "drop<1". */
export function wordsOf(text: string): string[] {
  return text
    .replace(SPACED, (_, name: string, operator: string) => name + operator.replace("≤", "<=").replace("≥", ">="))
    .split(/\s+/)
    .filter(Boolean);
}

export function parseRunFilter(text: string): RunFilter {
  const patterns: RegExp[] = [];
  const conditions: Condition[] = [];
  for (const word of wordsOf(text)) {
    const found = CONDITION.exec(word);
    if (found) {
      conditions.push({
        metric: found[1] ?? "",
        operator: OPERATORS.find((operator) => operator === found[2]) ?? "=",
        value: Number(found[3]),
      });
      continue;
    }
    try {
      patterns.push(new RegExp(word, "i"));
    } catch {
      return { patterns: [], conditions: [], problem: `${word} is not a valid regular expression` };
    }
  }
  return { patterns, conditions, problem: null };
}

function holds({ operator, value }: Condition, actual: number): boolean {
  switch (operator) {
    case "<":
      return actual < value;
    case "<=":
      return actual <= value;
    case ">":
      return actual > value;
    case ">=":
      return actual >= value;
    case "=":
      return actual === value;
  }
}

/**
 * Whether every word of the filter matches one of the run's texts: its own name, the name that a user gave it, or a tag
 * such as "#good". `valueOf` returns the last value of a tag whose name contains `metric`, or null.
 */
export function passes(
  filter: RunFilter,
  texts: string | readonly string[],
  valueOf: (metric: string) => number | null,
): boolean {
  const all = typeof texts === "string" ? [texts] : texts;
  return (
    filter.patterns.every((pattern) => all.some((text) => pattern.test(text))) &&
    filter.conditions.every((condition) => {
      const actual = valueOf(condition.metric);
      return actual !== null && holds(condition, actual);
    })
  );
}
