// Shortens names in the middle: names usually differ at the beginning or at the end.

/** The name with at most `most` characters; "…" replaces the middle. */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = Math.ceil((most - 1) / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (most - 1 - head))}`;
}
