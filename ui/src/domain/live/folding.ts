// Decides which links of the rail are behind "More".

/**
 * The ids of the pages behind "More": the empty pages, except for the open page. If the empty pages are unknown (null),
 * or if all pages are empty, these are the rare pages.
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
 * The pages to treat as empty, after the pages in `filled` got data. A visible link stays visible, so that no link
 * disappears below the pointer. A hidden link becomes visible when its page has data.
 */
export function stillEmpty(
  ids: readonly string[],
  shown: ReadonlySet<string> | null,
  filled: ReadonlySet<string>,
): ReadonlySet<string> {
  return new Set(ids.filter((id) => !filled.has(id) && (shown === null || shown.has(id))));
}
