// Which links of the rail are behind "More".

/** The ids to fold: those known to be empty, unless all are, and never the page that is open. */
export function foldedIds(ids: readonly string[], filled: ReadonlySet<string> | null, open: string | null): ReadonlySet<string> {
  if (filled === null || !ids.some((id) => filled.has(id))) return new Set();
  return new Set(ids.filter((id) => !filled.has(id) && id !== open));
}
