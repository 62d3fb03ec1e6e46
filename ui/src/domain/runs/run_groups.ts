// Runs that belong together, such as the seeds of one experiment, by what their names share.

/** The group of "train/seed-3" is its name without the number. */
export const DEFAULT_GROUPING = "^(.*?)[-_/.]?\\d*$";

export interface RunGroup {
  readonly name: string;
  readonly runs: readonly string[];
}

/**
 * Groups by what the first parenthesis of the pattern catches, or all that matches. Runs that do not
 * match stand alone. Null when the pattern is no regular expression.
 */
export function groupRuns(runs: readonly string[], pattern: string): RunGroup[] | null {
  let expression: RegExp;
  try {
    expression = new RegExp(pattern);
  } catch {
    return null;
  }
  const groups = new Map<string, string[]>();
  for (const run of runs) {
    const found = expression.exec(run);
    const name = found?.[1] || found?.[0] || run;
    const members = groups.get(name);
    if (members) members.push(run);
    else groups.set(name, [run]);
  }
  return [...groups].map(([name, members]) => ({ name, runs: members }));
}
