// The only tooltip of the page: it shows full values beside the pointer.
import { signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface Shown {
  readonly content: ComponentChildren;
  readonly x: number;
  readonly y: number;
}

const shown = signal<Shown | null>(null);

export function showReadout(content: ComponentChildren, x: number, y: number): void {
  shown.value = { content, x, y };
}

export function hideReadout(): void {
  shown.value = null;
}

export function Readout(): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const now = shown.value;
  useLayoutEffect(() => {
    if (!box.current || !now) return;
    const { width, height } = box.current.getBoundingClientRect();
    const left = now.x + 14 + width > window.innerWidth ? now.x - 14 - width : now.x + 14;
    const top = now.y + 20 + height > window.innerHeight ? now.y - 20 - height : now.y + 20;
    box.current.style.left = `${Math.max(8, left)}px`;
    box.current.style.top = `${Math.max(8, top)}px`;
  }, [now]);
  return (
    <div class={`readout${now ? " on" : ""}`} ref={box} aria-hidden="true">
      {now?.content}
    </div>
  );
}
