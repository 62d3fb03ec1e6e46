// Short names of runs that are shown together: the last parts of their paths, as many as are needed to distinguish
// them.

const tailOf = (name: string, parts: number): string => name.split("/").slice(-parts).join("/");

/**
 * Shortens each name to as many of its last path parts as are needed to distinguish it from all other names. The names
 * must be different.
 */
export function shortNames(names: readonly string[]): string[] {
  const short: string[] = names.map(() => "");
  let open = names.map((_, i) => i);
  for (let parts = 1; open.length > 0; parts += 1) {
    const holders = new Map<string, number>();
    for (const name of names) holders.set(tailOf(name, parts), (holders.get(tailOf(name, parts)) ?? 0) + 1);
    open = open.filter((i) => {
      const name = names[i] ?? "";
      const tail = tailOf(name, parts);
      const done = holders.get(tail) === 1 || tail === name;
      if (done) short[i] = tail;
      return !done;
    });
  }
  return short;
}
