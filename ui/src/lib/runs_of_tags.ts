import type { Tags } from "../api/types";

/** The runs that have at least one of the tags, in their order. */
export function runsOfTags(tags: Pick<Tags, "runs" | "run_lists">): string[] {
  const used = new Set(tags.run_lists.flat());
  return tags.runs.filter((_, r) => used.has(r));
}
