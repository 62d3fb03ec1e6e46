// Tags in groups by what stands before the first slash, as TensorBoard has them.
import { byNumber } from "../../base/text/natural";

export interface TagGroup {
  readonly name: string;
  readonly tags: readonly string[];
}

/** Curves come before tags that have one point each, of which there may be many: groups with curves first, and in each the curves. */
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

/** The groups that are open without being asked: from the first on, as many as hold `most` tags. */
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

/** The tag whose last values stand beside the names of runs: the first of those that most runs have. None
 * if not even half of the `runs` have it, for then the column is mostly empty. */
export function tagOfMost(tags: readonly string[], runsWith: (tag: string) => number, runs: number): string | null {
  let best: { readonly tag: string; readonly runs: number } | null = null;
  for (const tag of tags) {
    const here = runsWith(tag);
    if (here > (best?.runs ?? 0)) best = { tag, runs: here };
  }
  return best && 2 * best.runs >= runs ? best.tag : null;
}
