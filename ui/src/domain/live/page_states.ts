// States of pages as texts: which part of an address a page is opened with again. Pure.

/** Keys that are not part of a page's state: an open dialog, or the text of another program's link. */
const PASSING: ReadonlySet<string> = new Set(["snippet", "eye"]);

export interface States {
  /** By page, its query without the shared keys: "smooth=0.9&pins=loss". */
  readonly pages: Readonly<Record<string, string>>;
  /** The keys that all pages share: "a=fp32&b=int8". */
  readonly shared: string;
}

export const NO_STATES: States = { pages: {}, shared: "" };

/** The states after the page `id` was seen with this query. */
export function withState(states: States, id: string, query: URLSearchParams, sharedKeys: readonly string[]): States {
  const [own, shared] = [new URLSearchParams(), new URLSearchParams()];
  query.forEach((value, key) => {
    if (sharedKeys.includes(key)) shared.set(key, value);
    else if (!PASSING.has(key)) own.set(key, value);
  });
  return { pages: { ...states.pages, [id]: own.toString() }, shared: shared.toString() };
}

/** The query to open a page with: its own state and the shared keys. */
export function stateOf(states: States, id: string): URLSearchParams {
  const params = new URLSearchParams(states.shared);
  new URLSearchParams(states.pages[id] ?? "").forEach((value, key) => params.set(key, value));
  return params;
}
