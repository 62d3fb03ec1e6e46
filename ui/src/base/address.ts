// The address holds the whole state of a page: the path names the page, the query holds the rest.
import { computed, signal } from "@preact/signals";

import { addressOfName, newAddressOf } from "./page_names";

export { listOf, listText } from "./text/lists";

/**
 * The root address of the board. The server writes its path prefix into a <base> element inside a template, because the
 * content security policy forbids an active <base>.
 */
export const base = new URL(
  document.querySelector<HTMLTemplateElement>("#place")?.content.querySelector("base")?.getAttribute("href") ?? "/",
  window.location.href,
);

function pathOf(url: URL): string {
  const path = url.pathname.startsWith(base.pathname) ? url.pathname.slice(base.pathname.length) : "";
  return `/${path.replace(/^\/+|\/+$/g, "")}`;
}

const here = signal(new URL(window.location.href));

/** The path without the server's path prefix: "/layers". */
export const path = computed(() => pathOf(here.value));

/** The parts of the path: ["layers"]. */
export const pathParts = computed(() => path.value.split("/").filter(Boolean));

export const query = computed(() => here.value.searchParams);

/** The open page and its state, relative to the root of the board: "scalars?smooth=0.9". */
export const addressHere = computed(() => path.value.slice(1) + here.value.search);

export type QueryChange = Record<string, string | null | undefined>;

/** Query keys that all pages share. Links to other pages keep these keys. */
export const SHARED: readonly string[] = ["model", "a", "b", "runs", "colours", "policy"];

/** The address of a page; query values that are null, undefined or empty are left out. */
export function hrefOf(parts: readonly string[], change: QueryChange = {}, keep: readonly string[] = SHARED): string {
  const params = new URLSearchParams();
  for (const key of keep) {
    const value = query.value.get(key);
    if (value !== null) params.set(key, value);
  }
  applyChange(params, change);
  const text = params.toString();
  return base.pathname + parts.map(encodeURIComponent).join("/") + (text ? `?${text}` : "");
}

function applyChange(params: URLSearchParams, change: QueryChange): void {
  for (const [key, value] of Object.entries(change)) {
    if (value === null || value === undefined || value === "") params.delete(key);
    else params.set(key, value);
  }
}

/** Opens another page. */
export function go(href: string): void {
  window.history.pushState(null, "", href);
  here.value = new URL(window.location.href);
}

/** Opens another page and replaces the history entry: the browser's "back" skips the current page. */
export function goInstead(href: string): void {
  window.history.replaceState(null, "", href);
  here.value = new URL(window.location.href);
}

/**
 * Changes the state of this page. The browser's "back" undoes a selection; a change that follows the pointer (zoom,
 * sliders) replaces the history entry.
 */
export function setQuery(change: QueryChange, how: "push" | "replace" = "push"): void {
  const url = new URL(here.value);
  applyChange(url.searchParams, change);
  if (url.href === here.value.href) return;
  if (how === "push") window.history.pushState(null, "", url);
  else window.history.replaceState(null, "", url);
  here.value = url;
}

export function followOldLink(): void {
  const { hash, search } = window.location;
  const address = newAddressOf(hash) ?? addressOfName(path.peek(), search);
  if (address !== null) goInstead(base.pathname + address);
}

/** Updates the state on the browser's "back" and "forward", and follows links inside the page without a reload. */
export function listenToLocation(): void {
  window.addEventListener("popstate", () => {
    here.value = new URL(window.location.href);
  });
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || link.target || link.hasAttribute("download") || link.origin !== base.origin) return;
    if (!link.pathname.startsWith(base.pathname) || link.pathname.startsWith(`${base.pathname}api/`)) return;
    if (link.hash && link.pathname === window.location.pathname) return;
    event.preventDefault();
    go(link.href);
  });
}
