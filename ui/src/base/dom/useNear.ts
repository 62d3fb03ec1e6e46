// Detects whether an element is in or near the visible part of the page.
import { useEffect, useRef, useState } from "preact/hooks";

// The margin around the window, and around scrolling elements, that counts as near.
const MARGIN = "300px";

// One IntersectionObserver for all elements: a page may have hundreds of cards.
const told = new WeakMap<Element, (near: boolean) => void>();
let observer: IntersectionObserver | undefined;

/**
 * Calls `tell` soon with the current state of the element, and again after every change of the state. The returned
 * function stops the observation.
 */
export function followNear(element: Element, tell: (near: boolean) => void): () => void {
  observer ??= new IntersectionObserver(
    (entries) => entries.forEach((entry) => told.get(entry.target)?.(entry.isIntersecting)),
    { scrollMargin: MARGIN, rootMargin: MARGIN },
  );
  told.set(element, tell);
  observer.observe(element);
  return () => observer?.unobserve(element);
}

/** Whether the element is near. Returns `atFirst` until the browser has reported, after the first frame. */
export function useNear(atFirst = false): { ref: { current: HTMLElement | null }; near: boolean } {
  const ref = useRef<HTMLElement | null>(null);
  const [near, setNear] = useState(atFirst);
  useEffect(() => (ref.current ? followNear(ref.current, setNear) : undefined), []);
  return { ref, near };
}

/** Whether the element has ever been near. Content that was loaded because of this stays loaded. */
export function useSeen(): { ref: { current: HTMLElement | null }; seen: boolean } {
  const { ref, near } = useNear();
  const seen = useRef(false);
  seen.current ||= near;
  return { ref, seen: seen.current };
}
