import type { RangedTags, Tags } from "../../api/board";

/** The runs that have at least one of the tags, in the order of the runs. */
export function runsOfTags(tags: Pick<Tags, "runs" | "run_lists">): string[] {
  const used = new Set(tags.run_lists.flat());
  return tags.runs.filter((_, r) => used.has(r));
}

/**
 * The runs that have at least one of the tags. The runs of a tag are given as ranges: pairs of first and last index.
 */
export function runsOfRanges({ runs, run_ranges: ranges }: Pick<RangedTags, "runs" | "run_ranges">): string[] {
  // For each run: the number of ranges that contain it, minus the number of ranges that contain the previous run.
  const changes = new Int32Array(runs.length + 1);
  for (const stretches of ranges) {
    stretches.forEach((at, k) => {
      changes[k % 2 === 0 ? at : at + 1]! += k % 2 === 0 ? 1 : -1;
    });
  }
  let covers = 0;
  return runs.filter((_, r) => (covers += changes[r] ?? 0) > 0);
}

/** Returns a function that tells whether a run has a tag. */
export function runsHaving({
  names,
  runs,
  run_ranges: ranges,
}: Pick<RangedTags, "names" | "runs" | "run_ranges">): (tag: string, run: string) => boolean {
  const tagAt = new Map(names.map((name, i) => [name, i]));
  const runAt = new Map(runs.map((name, i) => [name, i]));
  return (tag, run) => {
    const stretches = ranges[tagAt.get(tag) ?? -1] ?? [];
    const at = runAt.get(run) ?? -1;
    // Bisection for the first range that does not end before the run; `lo` and `hi` are indices of ranges.
    let [lo, hi] = [0, stretches.length / 2];
    while (lo < hi) {
      const middle = (lo + hi) >> 1;
      if ((stretches[2 * middle + 1] ?? -1) < at) lo = middle + 1;
      else hi = middle;
    }
    return at >= 0 && at >= (stretches[2 * lo] ?? Infinity) && at <= (stretches[2 * lo + 1] ?? -1);
  };
}
