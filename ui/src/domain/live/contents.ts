// Which pages have nothing to show, and so wait behind "More". Links never move while one looks at
// them: what was empty the last time is known before the first paint (public/theme.js hides it), and
// without a last time the rail stays blank for the moment that the response takes.
import { contentsShape } from "../../api/board";
import { computed, effect, signal } from "@preact/signals";
import { getJson } from "../../api/client";
import { stillEmpty } from "./folding";
import { dataVersion, progress } from "./live";
import { goInstead, hrefOf, pathParts } from "../../base/address";

const LATER_MILLISECONDS = 400;
const REMEMBERED = "empty pages"; // Also in public/theme.js.

/** Ids of pages; null until it is known. */
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
    // Storage is closed to us: the next visit asks first, as this one did.
  }
}

/** An address without a page opens the first page that has data; any other address stays. `pages` are
 * in the order of the rail. The Files page alone does not count as data. */
function leaveEmptyFront(pages: readonly string[]): void {
  const first = pages[0];
  if (pathParts.peek().length === 0 && first !== undefined && first !== "overview" && first !== "files")
    goInstead(hrefOf([first]));
}

/** Follows the logs until every one of `all` has something. As long as it cannot be told, and where
 * all are empty, only `rare` ones count as such. */
export function followContents(all: readonly string[], rare: ReadonlySet<string>): void {
  emptyPages.value = remembered();
  const complete = computed(() => progress.value?.complete); // Progress itself is told often.
  let known = false;
  effect(() => {
    const version = dataVersion.value;
    // While files are read, pages that look empty may only be late.
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
