// States of pages as texts: which part of an address a page is opened with again. Pure.

/** Keys that are not part of a page's state: an open dialog, or the text of another program's link. */
const PASSING: ReadonlySet<string> = new Set(["snippet", "eye"]);

const OF_DIRECTORY: ReadonlySet<string> = new Set(["colours"]);

export interface States {
  /** By page, its query: "smooth=0.9&pins=loss". */
  readonly pages: Readonly<Record<string, string>>;
  /** The keys that belong to the log directory, not to a page: "colours=train~3". */
  readonly shared: string;
}

export const NO_STATES: States = { pages: {}, shared: "" };

/** The states after the page `id` was seen with this query. */
export function withState(states: States, id: string, query: URLSearchParams): States {
  const [own, shared] = [new URLSearchParams(), new URLSearchParams()];
  query.forEach((value, key) => {
    if (OF_DIRECTORY.has(key)) shared.set(key, value);
    else if (!PASSING.has(key)) own.set(key, value);
  });
  return { pages: { ...states.pages, [id]: own.toString() }, shared: shared.toString() };
}

/** The query to open a page with: as it was left, with the present keys of the log directory. */
export function stateOf(states: States, id: string): URLSearchParams {
  const params = new URLSearchParams(states.shared);
  new URLSearchParams(states.pages[id] ?? "").forEach((value, key) => params.set(key, value));
  return params;
}
