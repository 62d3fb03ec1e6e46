// Finds the pages without data, whose links are behind "More". Links must not move while a user looks at them: the
// empty pages of the last visit are stored, so that public/theme.js hides their links before the first paint. At the
// first visit, the rail is blank until the response arrives.
import { contentsShape } from "../../api/board";
import { computed, effect, signal } from "@preact/signals";
import { getJson } from "../../api/client";
import { stillEmpty } from "./folding";
import { dataVersion, progress } from "./live";
import { goInstead, hrefOf, pathParts } from "../../base/address";

const LATER_MILLISECONDS = 400;
const REMEMBERED = "empty pages"; // public/theme.js uses the same key.

/** Ids of the pages without data; null until they are known. */
export const emptyPages = signal<ReadonlySet<string> | null>(null);

function remembered(): ReadonlySet<string> | null {
  try {
    const text = localStorage.getItem(REMEMBERED);
    return text === null ? null : new Set(text.split(" ").filter(Boolean));
  } catch {
    return null;
  }
}

function remember(ids: Iterable<string>): void {
  try {
    localStorage.setItem(REMEMBERED, [...ids].join(" "));
  } catch {
    // The browser forbids storage: the next visit sends a request first.
  }
}

/**
 * If the address names no page, opens the first page that has data. `pages` are in the order of the rail. The Files
 * page alone does not count as data.
 */
function leaveEmptyFront(pages: readonly string[]): void {
  const first = pages[0];
  if (pathParts.peek().length === 0 && first !== undefined && first !== "overview" && first !== "files")
    goInstead(hrefOf([first]));
}

/**
 * Updates `emptyPages` until every page in `all` has data. While the contents are unknown, and if all pages are empty,
 * only the `rare` pages are treated as empty.
 */
export function followContents(all: readonly string[], rare: ReadonlySet<string>): void {
  emptyPages.value = remembered();
  // A computed signal, because `progress` itself changes often.
  const complete = computed(() => progress.value?.complete);
  let known = false;
  effect(() => {
    const version = dataVersion.value;
    // While files are being read, a page without data may get data later.
    if (complete.value === false && emptyPages.peek() === null) emptyPages.value = rare;
    if (complete.value !== true || (known && emptyPages.peek()?.size === 0)) return;
    const later = setTimeout(
      () => {
        getJson(contentsShape, "contents").then(
          ({ pages }) => {
            known = true;
            leaveEmptyFront(pages);
            const filled = new Set(pages);
            emptyPages.value = stillEmpty(all, emptyPages.peek(), filled);
            remember(filled.size === 0 ? rare : stillEmpty(all, null, filled));
          },
          () => (emptyPages.value ??= rare),
        );
      },
      version === 0 ? 0 : LATER_MILLISECONDS,
    );
    return () => clearTimeout(later);
  });
}
