// A popup of a button: it closes when something else is pressed or focused, and on Escape,
// which returns the focus to the button.
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

export interface Unfolded {
  readonly open: boolean;
  readonly setOpen: (open: boolean) => void;
  /** The element around the button and its popup. */
  readonly root: RefObject<HTMLDivElement | null>;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  /** Folds it and goes back to the button. */
  readonly leave: () => void;
}

export function useUnfolded(): Unfolded {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    const close = (event: Event): void => {
      if (!(event.target instanceof Node && root.current?.contains(event.target))) setOpen(false);
    };
    // Pressing a label inside focuses the element around the popup first; that is not leaving it.
    const closeOnFocus = (event: Event): void => {
      if (!(event.target instanceof Node && event.target.contains(root.current))) close(event);
    };
    document.addEventListener("pointerdown", close);
    document.addEventListener("focusin", closeOnFocus);
    return () => {
      document.removeEventListener("pointerdown", close);
      document.removeEventListener("focusin", closeOnFocus);
    };
  }, [open]);
  const leave = (): void => {
    setOpen(false);
    root.current?.querySelector("button")?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !open) return;
    event.stopPropagation(); // One Escape is for one thing.
    leave();
  };
  return { open, setOpen, root, onKeyDown, leave };
}
