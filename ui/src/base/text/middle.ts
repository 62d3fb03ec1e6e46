// Names that are too long for their place lose their middle: beginnings and ends tell them apart.

/** At most `most` characters, of which one is the sign for what is missing. */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = Math.ceil((most - 1) / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (most - 1 - head))}`;
}
