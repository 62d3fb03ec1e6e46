// The state of a popup that belongs to a button. The popup closes when another element is clicked or focused, and on
// Escape. Escape also returns the focus to the button.
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

export interface Unfolded {
  readonly open: boolean;
  readonly setOpen: (open: boolean) => void;
  /** The element that contains the button and its popup. */
  readonly root: RefObject<HTMLDivElement | null>;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  /** Closes the popup and focuses the button. */
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
    // Clicking a label inside the popup first focuses the popup's parent element; the popup must stay open.
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
    event.stopPropagation(); // One press of Escape closes only one popup.
    leave();
  };
  return { open, setOpen, root, onKeyDown, leave };
}
