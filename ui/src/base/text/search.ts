// Fuzzy search: a match contains the typed letters in order. Letters that are early and close together rank higher.

/** The rank of a match; smaller is better, null is no match. An empty search matches every text with the same rank. */
export function matchCost(text: string, candidate: string): number | null {
  const wanted = text.toLowerCase();
  const there = candidate.toLowerCase();
  const whole = there.indexOf(wanted);
  if (whole >= 0) return whole === 0 ? 0 : 1 + whole / (there.length + 1);
  let at = -1;
  let first = -1;
  for (const letter of wanted) {
    if (letter === " ") continue;
    at = there.indexOf(letter, at + 1);
    if (at < 0) return null;
    if (first < 0) first = at;
  }
  return 2 + (at - first - wanted.length + 1) + first / (there.length + 1);
}

/** An empty search returns the first texts in their given order. */
export function bestMatches<T>(text: string, all: readonly T[], nameOf: (item: T) => string, most: number): T[] {
  if (text.trim() === "") return all.slice(0, most);
  const scored: { item: T; cost: number }[] = [];
  for (const item of all) {
    const cost = matchCost(text, nameOf(item));
    if (cost !== null) scored.push({ item, cost });
  }
  scored.sort((a, b) => a.cost - b.cost || nameOf(a.item).length - nameOf(b.item).length);
  return scored.slice(0, most).map((s) => s.item);
}
