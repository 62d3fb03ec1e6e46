// Whether an element is in or near the visible part of the page.
import { useLayoutEffect, useRef, useState } from "preact/hooks";

const MARGIN = 300;

export function useNear(): { ref: { current: HTMLElement | null }; near: boolean } {
  const ref = useRef<HTMLElement | null>(null);
  const [near, setNear] = useState(false);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    // An observer speaks only after the next frame; what is in sight from the start need not wait.
    const { top, bottom } = element.getBoundingClientRect();
    if (top < window.innerHeight + MARGIN && bottom > -MARGIN) setNear(true);
    const observer = new IntersectionObserver(([entry]) => setNear(entry?.isIntersecting ?? false), { rootMargin: `${MARGIN}px` });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, near };
}
