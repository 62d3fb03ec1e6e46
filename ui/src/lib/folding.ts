// Which links of the rail are behind "More".

/** The ids to fold: the empty ones, unless all are, and never the page that is open. */
export function foldedIds(ids: readonly string[], empty: ReadonlySet<string>, open: string | null): ReadonlySet<string> {
  if (ids.every((id) => empty.has(id))) return new Set();
  return new Set(ids.filter((id) => empty.has(id) && id !== open));
}

/**
 * The pages to treat as empty, now that `filled` have something. Once links are in sight they stay:
 * a page that was shown is not folded away below somebody's pointer, but one that was folded comes
 * out when it has something.
 */
export function stillEmpty(ids: readonly string[], shown: ReadonlySet<string> | null, filled: ReadonlySet<string>): ReadonlySet<string> {
  return new Set(ids.filter((id) => !filled.has(id) && (shown === null || shown.has(id))));
}
