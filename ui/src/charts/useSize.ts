// The size of an element, followed as it changes.
import { useCallback, useRef, useState } from "preact/hooks";

export interface Sized<T> {
  /** Goes into `ref` of the element, which may appear later than the component. */
  readonly ref: ((element: T | null) => void) & { current: T | null };
  readonly width: number;
  readonly height: number;
}

export function useSize<T extends HTMLElement>(): Sized<T> {
  const [size, setSize] = useState({ width: 0, height: 0 });
  const observer = useRef<ResizeObserver | null>(null);
  const follow = useCallback((element: T | null): void => {
    ref.current = element;
    observer.current?.disconnect();
    if (!element) return;
    // It speaks before the element is first painted; to measure at once would make the browser lay out
    // the page for each chart that is added.
    observer.current = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = element;
      setSize((old) => (old.width === width && old.height === height ? old : { width, height }));
    });
    observer.current.observe(element);
  }, []);
  const ref = follow as Sized<T>["ref"];
  return { ref, ...size };
}
