// A name that loses its middle where there is no room: beginnings and ends tell names apart. The page contains the
// whole name, so searching and copying find it; pointing at it or focusing its row shows it.
import type { JSX } from "preact";
import { hideReadout, showReadout } from "./readout";

const MAX_TAIL = 16; // Characters that stay at the end.
const SHORT = 22; // Names up to this length fit nearly everywhere, and lose their end where they do not.

/** Where the end of a name begins: behind a separator if one is near. */
export function tailStart(name: string): number {
  const first = Math.max(Math.ceil(name.length / 2), name.length - MAX_TAIL);
  const separator = name.slice(first, name.length - 3).search(/[/._:]/);
  return separator < 0 ? first : first + separator;
}

export function Name({ name, title = name }: { name: string; title?: string }): JSX.Element {
  if (name.length <= SHORT)
    return (
      <span class="cut-name" title={title}>
        {name}
      </span>
    );
  const at = tailStart(name);
  return (
    <span class="cut-name" title={title}>
      <span class="cut-head" style={{ maxWidth: `calc(100% - ${name.length - at}ch)` }}>
        {name.slice(0, at)}
      </span>
      {name.slice(at)}
    </span>
  );
}

/** Shows the whole name of a row that got the focus, if it is cut. */
export function showNamesOnFocus(): void {
  document.addEventListener("focusin", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const name = target?.matches("tr, li, a, button") ? target.querySelector(".cut-name") : null;
    const head = name?.querySelector(".cut-head");
    if (!name || !head || head.scrollWidth <= head.clientWidth || !target?.matches(":focus-visible"))
      return hideReadout();
    const { left, bottom } = name.getBoundingClientRect();
    showReadout(<span class="mono">{name.textContent}</span>, left - 14, bottom - 16);
  });
  document.addEventListener("focusout", hideReadout);
}
