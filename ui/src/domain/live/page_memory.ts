// Stores the last state of each page in the browser, per log directory. The address holds the whole state of a page: a
// link to another page, and an address without a query, restore the last state of the page.
import { effect, signal, untracked } from "@preact/signals";
import { base, goInstead, pathParts, query } from "../../base/address";
import { recall, remember } from "../../base/storage";
import { object, readOrNull, record, string } from "../../api/shape";
import { status } from "./live";
import { NO_STATES, stateOf, withState, type States } from "./page_states";

const statesShape = object({ pages: record(string), shared: string });

const LAST_DIRECTORIES = "log directories"; // The log directories that were served at the last visit.

/** The log directories that the stored states belong to. */
let directories = recall(LAST_DIRECTORIES) ?? "";

function load(): States {
  try {
    return readOrNull(statesShape, JSON.parse(recall(`states ${directories}`) ?? "null")) ?? NO_STATES;
  } catch {
    return NO_STATES;
  }
}

const states = signal<States>(load());

/**
 * The query of a link to a page: the page's last state. The link to the open page has an empty query, so it resets the
 * page.
 */
export function rememberedQuery(id: string): URLSearchParams {
  return pathParts.value[0] === id ? new URLSearchParams() : stateOf(states.value, id);
}

/** If the address has no query, opens its page in its last state. Call it before the page is drawn. */
export function restorePage(): void {
  const [id] = pathParts.peek();
  if (id === undefined || window.location.search !== "") return;
  const text = stateOf(states.peek(), id).toString();
  if (text !== "") goInstead(`${base.pathname}${id}?${text}`);
}

/** Stores the state of the open page. */
function store(before: States): void {
  const [id] = pathParts.value;
  if (id === undefined) return;
  states.value = withState(before, id, query.value);
  remember(`states ${directories}`, JSON.stringify(states.peek()));
}

/** Stores the state after every change of the address. */
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
