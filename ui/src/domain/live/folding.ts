// Which links of the rail are behind "More".

/**
 * The ids to fold: the empty ones, and never the page that is open. As long as it is not known what
 * is empty (null), and where all are, the rare ones.
 */
export function foldedIds(
  ids: readonly string[],
  rare: ReadonlySet<string>,
  empty: ReadonlySet<string> | null,
  open: string | null,
): ReadonlySet<string> {
  const folds = empty === null || ids.every((id) => empty.has(id)) ? rare : empty;
  return new Set(ids.filter((id) => folds.has(id) && id !== open));
}

/**
 * The pages to treat as empty, now that `filled` have something. Once links are in sight they stay:
 * a page that was shown is not folded away below somebody's pointer, but one that was folded comes
 * out when it has something.
 */
export function stillEmpty(
  ids: readonly string[],
  shown: ReadonlySet<string> | null,
  filled: ReadonlySet<string>,
): ReadonlySet<string> {
  return new Set(ids.filter((id) => !filled.has(id) && (shown === null || shown.has(id))));
}
