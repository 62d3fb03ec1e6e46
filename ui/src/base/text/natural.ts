// Natural order of names: "layer2" before "layer10", ignoring case. Does not use Intl.Collator: creating one takes too
// long at the start of a page.

const PARTS = /\d+|\D+/g;

export function byNumber(a: string, b: string): number {
  return (
    byParts(a.toLowerCase().match(PARTS) ?? [], b.toLowerCase().match(PARTS) ?? []) || (a < b ? -1 : a > b ? 1 : 0)
  );
}

function byParts(p: readonly string[], q: readonly string[]): number {
  for (let i = 0; i < Math.min(p.length, q.length); i += 1) {
    const order = byPart(p[i] ?? "", q[i] ?? "");
    if (order !== 0) return order;
  }
  return p.length - q.length;
}

/**
 * All names in natural order. Each name is split only once, because splitting in every comparison takes too long for
 * thousands of names.
 */
export function inNaturalOrder(names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, parts: name.toLowerCase().match(PARTS) ?? [] }))
    .sort((p, q) => byParts(p.parts, q.parts) || (p.name < q.name ? -1 : 1))
    .map(({ name }) => name);
}

const isNumber = (part: string): boolean => part >= "0" && part < ":"; // The first character is a digit.

function byPart(p: string, q: string): number {
  const difference = isNumber(p) && isNumber(q) ? Number(p) - Number(q) : NaN;
  if (difference !== 0 && !Number.isNaN(difference)) return difference;
  return p < q ? -1 : p > q ? 1 : 0;
}
