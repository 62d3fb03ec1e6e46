// Filters of names: a regular expression, or plain text if the expression is not valid.

/**
 * A regular expression that matches `name` literally and contains no blanks, because the run filter is split at blanks.
 */
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
