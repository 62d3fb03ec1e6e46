// Short forms of similar names: the parts that distinguish the names stay, all other parts are replaced by "…".

const SHORT = 22; // Names up to this length are left alone: they fit nearly everywhere.
const WHOLE = 16; // Folders up to this length lose no part of their name: "version_3" stays "version_3".
const SEPARATORS = /([/,;_ ]+)/;
const MIN_PART = 2; // Dropping less than this saves nothing.
// A date or time in a name. It distinguishes runs, but says nothing about their settings, so it is dropped if the names
// differ without it.
const TIME = /^(\d{4}-\d{2}-\d{2}|\d{2}[-:]\d{2}[-:]\d{2}|\d{8}(-\d{6})?)$/;

/** The first folder of a name. Only names in the same folder are shortened together. */
const groupOf = (name: string): string => name.slice(0, name.indexOf("/") + 1);

interface Part {
  readonly text: string;
  readonly isDropped: boolean;
}

/** Short folders with a part that tells names apart are not shortened. */
function withWholeFolders(parts: readonly Part[]): readonly Part[] {
  const folders: Part[][] = [[]];
  for (const part of parts) {
    folders.at(-1)?.push(part);
    if (part.text.includes("/")) folders.push([]);
  }
  return folders.flatMap((folder) => {
    const words = folder.filter(({ text }) => !text.includes("/"));
    const isWhole =
      words.reduce((sum, { text }) => sum + text.length, 0) <= WHOLE &&
      words.some(({ text, isDropped }, i) => i % 2 === 0 && text !== "" && !isDropped);
    return isWhole ? folder.map(({ text }) => ({ text, isDropped: false })) : folder;
  });
}

/** Parts that all names of a group have, repetitions within a name, and perhaps times are dropped. */
function partsOf(name: string, common: ReadonlySet<string>, withTimes: boolean): readonly Part[] {
  const seen = new Set<string>();
  const parts = name.split(SEPARATORS).map((text, i): Part => {
    if (i % 2 === 1) return { text, isDropped: false };
    const isKnown = text.length >= MIN_PART && (common.has(text) || seen.has(text));
    const isDropped = isKnown || (!withTimes && TIME.test(text));
    seen.add(text);
    return { text, isDropped };
  });
  return withWholeFolders(parts);
}

/** Joins the parts. Adjacent dropped parts become one "…", together with the separators beside them. */
function joined(parts: readonly Part[]): string {
  let text = "";
  parts.forEach(({ text: part, isDropped }, i) => {
    const isSeparator = i % 2 === 1;
    if (isDropped) text += text.endsWith("…") ? "" : "…";
    else if (!isSeparator || !(parts[i - 1]?.isDropped || parts[i + 1]?.isDropped)) text += part;
  });
  return text.length > 1 ? text.replace(/…$/, "") : text;
}

function commonParts(names: readonly string[]): Set<string> {
  const [first = "", ...others] = names.map((name) => new Set(name.split(SEPARATORS)));
  return new Set([...first].filter((part) => others.every((parts) => parts.has(part))));
}

/**
 * Shortens each long name by the parts that all names in its folder have in common: "…lr=0.1…seed=3" instead of
 * "run_lr=0.1_bs=256_seed=3_host". The results differ from each other: if two would be equal, the full names are used.
 */
export function distinctNames(names: readonly string[]): ReadonlyMap<string, string> {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const group = groups.get(groupOf(name));
    if (group) group.push(name);
    else groups.set(groupOf(name), [name]);
  }
  const shown = new Map<string, string>();
  for (const group of groups.values()) {
    const common = group.length > 1 ? commonParts(group) : new Set<string>();
    const texts = (withTimes: boolean): string[] =>
      group.map((name) => (name.length > SHORT ? joined(partsOf(name, common, withTimes)) : name));
    const [timeless, timed] = [texts(false), texts(true)];
    const chosen = [timeless, timed].find((all) => new Set(all).size === group.length);
    group.forEach((name, i) => shown.set(name, (group.length > 1 ? chosen?.[i] : undefined) ?? name));
  }
  // If names of two folders have the same short form, uses the full names.
  const holders = new Map<string, number>();
  for (const text of shown.values()) holders.set(text, (holders.get(text) ?? 0) + 1);
  for (const [name, text] of shown) if (text !== name && (holders.get(text) ?? 0) > 1) shown.set(name, name);
  return shown;
}
