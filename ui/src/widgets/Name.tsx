// A name that is shortened in the middle if there is not enough space, because names usually differ at the beginning or
// at the end. The page contains the whole name, so searching and copying work; a tooltip shows the whole name when the
// pointer is on the row or the row has the focus.
import type { JSX } from "preact";
import { hideReadout, showReadout } from "./readout";

const MAX_TAIL = 16; // The number of characters that stay visible at the end.
const SHORT = 16; // Names up to this length nearly always fit; in narrower places they are shortened at the end.

/** The index where the fixed end of a name begins: after a separator, if there is one nearby. */
export function tailStart(name: string): number {
  const first = Math.max(Math.ceil(name.length / 2), name.length - MAX_TAIL);
  const end = name.slice(first, name.length - 3);
  const gap = end.lastIndexOf("…"); // The place where the name was already shortened.
  const separator = gap >= 0 ? gap + 1 : end.search(/[/._:]/);
  return separator < 0 ? first : first + separator;
}

/** In letters; the sign for a missing part takes nearly two. */
const widthOf = (text: string): number => text.length + (text.split("…").length - 1);

export function Name({ name, title = name }: { name: string; title?: string }): JSX.Element {
  if (name.length <= SHORT)
    return (
      <span class="cut-name" title={title}>
        {name}
      </span>
    );
  const at = tailStart(name);
  return (
    <span class="cut-name" title={title} style={{ "--tail": widthOf(name.slice(at)) }}>
      <span class="cut-head">{name.slice(0, at)}</span>
      <span class="cut-tail">{name.slice(at)}</span>
    </span>
  );
}

/** If the name of the focused row is shortened, shows the whole name. */
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
