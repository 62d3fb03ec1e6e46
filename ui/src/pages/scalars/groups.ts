// Tags in groups by what stands before the first slash, as TensorBoard has them.
import { byNumber } from "../../lib/natural";

export interface TagGroup {
  readonly name: string;
  readonly tags: readonly string[];
}

export function groupTags(tags: readonly string[]): TagGroup[] {
  const groups = new Map<string, string[]>();
  for (const tag of tags) {
    const slash = tag.indexOf("/");
    const name = slash > 0 ? tag.slice(0, slash) : "";
    const group = groups.get(name);
    if (group) group.push(tag);
    else groups.set(name, [tag]);
  }
  return [...groups].map(([name, members]) => ({ name, tags: members.sort(byNumber) })).sort((a, b) => byNumber(a.name, b.name));
}
