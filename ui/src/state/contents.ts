// Which pages have something to show. Asked when the page itself is there, for nothing waits for it.
import { computed, effect, signal } from "@preact/signals";
import { getJson } from "../api/client";
import { dataVersion, progress } from "./live";

const LATER_MILLISECONDS = 400;

/** Ids of pages; null until it is known. */
export const filledPages = signal<ReadonlySet<string> | null>(null);

/** Follows the logs until every one of `all` has something. */
export function followContents(all: readonly string[]): void {
  // While files are read, pages that look empty may only be late.
  const complete = computed(() => progress.value?.complete === true); // Progress itself is told often.
  effect(() => {
    const version = dataVersion.value;
    if (!complete.value || all.every((id) => filledPages.peek()?.has(id))) return;
    const later = setTimeout(() => {
      getJson<{ pages: string[] }>("contents").then(({ pages }) => (filledPages.value = new Set(pages)), () => undefined);
    }, version === 0 ? 0 : LATER_MILLISECONDS);
    return () => clearTimeout(later);
  });
}
