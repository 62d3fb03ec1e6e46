// Groups runs that belong together, such as the seeds of one experiment, by common parts of their names.

/** The group of a run: its name without the number, "train/seed" for "train/seed-3". */
export const DEFAULT_GROUPING = "^(.*?)[-_/.]?\\d*$";

export interface RunGroup {
  readonly name: string;
  readonly runs: readonly string[];
}

/**
 * Groups runs by the text that the first parenthesis of the pattern matches, or by the whole match. A run that does not
 * match is a group of its own. Null if the pattern is not a valid regular expression.
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
