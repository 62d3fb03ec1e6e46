// Filters of names: a regular expression, or plain text while it is not a valid one.

/** A regular expression that finds `name` as it is written, and is one word: filters of runs are cut at blanks. */
export function literally(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s/g, "\\s");
}

export function matcherOf(wanted: string): (name: string) => boolean {
  if (wanted === "") return () => true;
  try {
    const pattern = new RegExp(wanted, "i");
    return (name) => pattern.test(name);
  } catch {
    const text = wanted.toLowerCase();
    return (name) => name.toLowerCase().includes(text);
  }
}
