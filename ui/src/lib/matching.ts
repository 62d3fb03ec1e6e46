// What is typed to filter names: a regular expression, or text while it is none yet.

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
