// The keyboard shortcuts in one list: the `?` dialog lists exactly the shortcuts that work.
import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

export interface Key {
  /** "d", "shift-l", or "g o" for two keys in sequence. */
  readonly key: string;
  readonly does: string;
  readonly run: (event: KeyboardEvent) => void;
}

const groups = signal<readonly (readonly Key[])[]>([]);

export const allKeys = groups;

/**
 * Adds shortcuts while the component is mounted; shortcuts of later components override those of earlier ones. A
 * shortcut calls the `run` of the last rendering. Keys can arrive faster than renderings, so `run` must read the
 * address itself when it is called.
 */
export function useKeys(keys: readonly Key[]): void {
  const newest = useRef(keys);
  newest.current = keys;
  const names = keys.map(({ key }) => key).join("\0");
  useLayoutEffect(
    () => addKeys(keys.map((each, i) => ({ ...each, run: (event) => newest.current[i]?.run(event) }))),
    [names],
  );
}

/** Adds shortcuts until the returned function is called. */
function addKeys(keys: readonly Key[]): () => void {
  groups.value = [...groups.value, keys];
  return () => {
    groups.value = groups.value.filter((group) => group !== keys);
  };
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

function nameOf(event: KeyboardEvent): string {
  const key = event.key.toLowerCase();
  const shifted = event.shiftKey && /^[a-z]$|^arrow/.test(key);
  return (event.ctrlKey || event.metaKey ? "ctrl-" : "") + (shifted ? "shift-" : "") + key;
}

let lead = "";

export function listenToKeys(): void {
  window.addEventListener("keydown", (event) => {
    const name = nameOf(event);
    const find = (wanted: string): Key | undefined => {
      for (const group of [...groups.value].reverse()) {
        const found = group.find((key) => key.key === wanted);
        if (found) return found;
      }
      return undefined;
    };
    // Inside a text field, single keys are text; only shortcuts such as Ctrl-K work.
    if (isTyping(event.target) && !name.startsWith("ctrl-")) {
      if (name === "escape" && event.target instanceof HTMLElement) event.target.blur();
      return;
    }
    const found = (lead && find(`${lead} ${name}`)) || find(name);
    lead = !lead && name === "g" ? "g" : "";
    if (!found) return;
    event.preventDefault();
    found.run(event);
  });
}
