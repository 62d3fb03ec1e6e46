// The whole state of the page is in its address: the path is the page, the query is the rest.
import { computed, signal } from "@preact/signals";

import { addressOfName, newAddressOf } from "./page_names";

export { listOf, listText } from "./text/lists";

/** Where the board lives: the server writes its path prefix into a <base> that stays inert, because
 * its content security policy lets no document change what addresses are relative to. */
export const base = new URL(
  document.querySelector<HTMLTemplateElement>("#place")?.content.querySelector("base")?.getAttribute("href") ?? "/",
  window.location.href,
);

function pathOf(url: URL): string {
  const path = url.pathname.startsWith(base.pathname) ? url.pathname.slice(base.pathname.length) : "";
  return `/${path.replace(/^\/+|\/+$/g, "")}`;
}

const here = signal(new URL(window.location.href));

/** "/layers", without the server's path prefix. */
export const path = computed(() => pathOf(here.value));

/** Its parts: ["layers"]. */
export const pathParts = computed(() => path.value.split("/").filter(Boolean));

export const query = computed(() => here.value.searchParams);

/** Page and state, below the board's root: "scalars?smooth=0.9". */
export const addressHere = computed(() => path.value.slice(1) + here.value.search);

export type QueryChange = Record<string, string | null | undefined>;

/** Keys that all pages share: links keep them. */
export const SHARED: readonly string[] = ["model", "a", "b", "runs", "colours", "policy"];

/** The address of a page; values that are null, undefined or empty are left out. */
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

/** Goes to another page. */
export function go(href: string): void {
  window.history.pushState(null, "", href);
  here.value = new URL(window.location.href);
}

/** Goes to another page that takes the place of this one: "back" leads to what was before. */
export function goInstead(href: string): void {
  window.history.replaceState(null, "", href);
  here.value = new URL(window.location.href);
}

/**
 * Changes the state of this page. The browser's "back" undoes a selection; a change that follows
 * the pointer (zoom, sliders) replaces the entry instead.
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

/** Follows the browser's buttons, and links inside the page without a reload. */
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
