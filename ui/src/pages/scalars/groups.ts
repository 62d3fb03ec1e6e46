// Groups tags by the part before the first slash, as TensorBoard does.
import { byNumber } from "../../base/text/natural";

export interface TagGroup {
  readonly name: string;
  readonly tags: readonly string[];
}

/**
 * Tags with curves come before tags with a single point, because there may be many tags with a single point. Groups
 * with curves are first, and in each group the tags with curves are first.
 */
export function groupTags(tags: readonly string[], isCurve: (tag: string) => boolean = () => true): TagGroup[] {
  const groups = new Map<string, string[]>();
  for (const tag of tags) {
    const slash = tag.indexOf("/");
    const name = slash > 0 ? tag.slice(0, slash) : "";
    const group = groups.get(name);
    if (group) group.push(tag);
    else groups.set(name, [tag]);
  }
  const later = (members: readonly string[]): number => (members.some(isCurve) ? 0 : 1);
  const dots = new Set(tags.filter((tag) => !isCurve(tag)));
  return [...groups]
    .map(([name, members]) => ({
      name,
      tags: members.sort((p, q) => Number(dots.has(p)) - Number(dots.has(q)) || byNumber(p, q)),
    }))
    .sort((a, b) => later(a.tags) - later(b.tags) || byNumber(a.name, b.name));
}

/** The groups that are open by default: the first groups, as many as have at most `most` tags together. */
export function openByItself(groups: readonly TagGroup[], most: number): ReadonlySet<string> {
  const open = new Set<string>();
  let tags = 0;
  for (const group of groups) {
    tags += group.tags.length;
    if (open.size > 0 && tags > most) break;
    open.add(group.name);
  }
  return open;
}

/**
 * The tag whose last values are shown beside the names of runs: among the tags that most runs have, the first one. Null
 * if less than half of the `runs` have it, because the column would be mostly empty.
 */
export function tagOfMost(tags: readonly string[], runsWith: (tag: string) => number, runs: number): string | null {
  let best: { readonly tag: string; readonly runs: number } | null = null;
  for (const tag of tags) {
    const here = runsWith(tag);
    if (here > (best?.runs ?? 0)) best = { tag, runs: here };
  }
  return best && 2 * best.runs >= runs ? best.tag : null;
}
