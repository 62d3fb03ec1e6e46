// Tags in groups by what stands before the first slash, as TensorBoard has them.
import { byNumber } from "../../lib/natural";

export interface TagGroup {
  readonly name: string;
  readonly tags: readonly string[];
}

/** Groups with curves come before those whose tags have one point each, of which there may be many. */
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
  return [...groups].map(([name, members]) => ({ name, tags: members.sort(byNumber) }))
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
