// Remembers how each page was left, per log directory, in the browser. The address holds the whole state of a page:
// links to other pages restore theirs, and an address without a query opens its page as it was.
import { effect, signal, untracked } from "@preact/signals";
import { base, goInstead, pathParts, query } from "../../base/address";
import { recall, remember } from "../../base/storage";
import { object, readOrNull, record, string } from "../../api/shape";
import { status } from "./live";
import { NO_STATES, stateOf, withState, type States } from "./page_states";

const statesShape = object({ pages: record(string), shared: string });

const LAST_DIRECTORIES = "log directories"; // Those that were served at the last visit.

/** The log directories that the states belong to. */
let directories = recall(LAST_DIRECTORIES) ?? "";

function load(): States {
  try {
    return readOrNull(statesShape, JSON.parse(recall(`states ${directories}`) ?? "null")) ?? NO_STATES;
  } catch {
    return NO_STATES;
  }
}

const states = signal<States>(load());

/** The query with which a link opens the page; the page that is open is reset by its own link. */
export function rememberedQuery(id: string): URLSearchParams {
  return pathParts.value[0] === id ? new URLSearchParams() : stateOf(states.value, id);
}

/** Opens the page of an address without a query as it was left. Call before the page is drawn. */
export function restorePage(): void {
  const [id] = pathParts.peek();
  if (id === undefined || window.location.search !== "") return;
  const text = stateOf(states.peek(), id).toString();
  if (text !== "") goInstead(`${base.pathname}${id}?${text}`);
}

/** Adds the state of the open page. */
function store(before: States): void {
  const [id] = pathParts.value;
  if (id === undefined) return;
  states.value = withState(before, id, query.value);
  remember(`states ${directories}`, JSON.stringify(states.peek()));
}

/** Stores every change of the address from now on. */
export function rememberPages(): void {
  effect(() => {
    const served = status.value?.logdirs.paths.join("\n");
    if (served === undefined || served === directories) return;
    directories = served;
    remember(LAST_DIRECTORIES, served);
    untracked(() => store(load()));
  });
  effect(() => store(states.peek()));
}
