// The last states of pages as text: the parts of an address that are restored when a page is opened again. Pure
// functions.

/** Query keys that are not stored: an open dialog, or a key of another program's link. */
const PASSING: ReadonlySet<string> = new Set(["snippet", "eye"]);

const OF_DIRECTORY: ReadonlySet<string> = new Set(["colours"]);

export interface States {
  /** For each page, the query of its address: "smooth=0.9&pins=loss". */
  readonly pages: Readonly<Record<string, string>>;
  /** The query keys that belong to the log directory, not to a page: "colours=train~3". */
  readonly shared: string;
}

export const NO_STATES: States = { pages: {}, shared: "" };

/** The states, updated with the current query of the page `id`. */
export function withState(states: States, id: string, query: URLSearchParams): States {
  const [own, shared] = [new URLSearchParams(), new URLSearchParams()];
  query.forEach((value, key) => {
    if (OF_DIRECTORY.has(key)) shared.set(key, value);
    else if (!PASSING.has(key)) own.set(key, value);
  });
  return { pages: { ...states.pages, [id]: own.toString() }, shared: shared.toString() };
}

/** The query to open a page with: its last state, and the current keys of the log directory. */
export function stateOf(states: States, id: string): URLSearchParams {
  const params = new URLSearchParams(states.shared);
  new URLSearchParams(states.pages[id] ?? "").forEach((value, key) => params.set(key, value));
  return params;
}
