// The size of an element, updated when it changes.
import { useMemo, useRef, useState } from "preact/hooks";

export interface Sized<T> {
  /** Set this as `ref` of the element. The element may appear later than the component. */
  readonly ref: ((element: T | null) => void) & { current: T | null };
  readonly width: number;
  readonly height: number;
}

export function useSize<T extends HTMLElement>(): Sized<T> {
  const [size, setSize] = useState({ width: 0, height: 0 });
  const observer = useRef<ResizeObserver | null>(null);
  const ref = useMemo((): Sized<T>["ref"] => {
    const none: { current: T | null } = { current: null };
    const follow = (element: T | null): void => {
      followed.current = element;
      observer.current?.disconnect();
      if (!element) return;
      // The size is not measured here, because that would force a page layout for each added chart. The observer
      // reports the size before the first paint.
      observer.current = new ResizeObserver(() => {
        const { clientWidth: width, clientHeight: height } = element;
        setSize((old) => (old.width === width && old.height === height ? old : { width, height }));
      });
      observer.current.observe(element);
    };
    const followed = Object.assign(follow, none);
    return followed;
  }, []);
  return { ref, ...size };
}
