// Whether an element is in or near the visible part of the page.
import { useEffect, useRef, useState } from "preact/hooks";

// Added around the window and around elements that scroll.
const MARGIN = "300px";

// One observer for all: a page may have hundreds of cards.
const told = new WeakMap<Element, (near: boolean) => void>();
let observer: IntersectionObserver | undefined;

/** Calls `tell` soon, and whenever it changes; what is returned ends it. */
export function followNear(element: Element, tell: (near: boolean) => void): () => void {
  observer ??= new IntersectionObserver(
    (entries) => entries.forEach((entry) => told.get(entry.target)?.(entry.isIntersecting)),
    { scrollMargin: MARGIN, rootMargin: MARGIN },
  );
  told.set(element, tell);
  observer.observe(element);
  return () => observer?.unobserve(element);
}

/** `atFirst` is what is taken to be true until the browser has said, which is after the first frame. */
export function useNear(atFirst = false): { ref: { current: HTMLElement | null }; near: boolean } {
  const ref = useRef<HTMLElement | null>(null);
  const [near, setNear] = useState(atFirst);
  useEffect(() => (ref.current ? followNear(ref.current, setNear) : undefined), []);
  return { ref, near };
}

/** Whether an element has been near: what it loaded then stays. */
export function useSeen(): { ref: { current: HTMLElement | null }; seen: boolean } {
  const { ref, near } = useNear();
  const seen = useRef(false);
  seen.current ||= near;
  return { ref, seen: seen.current };
}
