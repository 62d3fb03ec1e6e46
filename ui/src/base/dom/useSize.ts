// The size of an element, followed as it changes.
import { useMemo, useRef, useState } from "preact/hooks";

export interface Sized<T> {
  /** Goes into `ref` of the element, which may appear later than the component. */
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
      // The observer reports before the first paint; measuring here would force a layout of the page for
      // each chart that is added.
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
