// Which rows of a long list of equally high ones are in sight.
import { useEffect, useState } from "preact/hooks";
import { useSize, type Sized } from "../base/dom/useSize";

const SPARE = 6; // Above and below, so that scrolling a little finds them there.

export interface RowsInSight {
  /** Go to the element that scrolls. */
  readonly ref: Sized<HTMLDivElement>["ref"];
  readonly onScroll: (event: { readonly currentTarget: HTMLElement }) => void;
  /** From the first row that has to exist to the one after the last. */
  readonly first: number;
  readonly last: number;
  /** Scrolls as little as it takes to see a row below the `head` pixels that stay in place. */
  readonly show: (row: number, head?: number) => void;
}

export function useRowsInSight(count: number, rowHeight: number): RowsInSight {
  const { ref, height: measured } = useSize<HTMLDivElement>();
  const [top, setTop] = useState(0);
  const height = measured || 600;
  // A list that became shorter leaves the browser at its end.
  const from = Math.min(top, Math.max(0, count * rowHeight - height));
  return {
    ref,
    onScroll: (event) => setTop(event.currentTarget.scrollTop),
    first: Math.max(0, Math.floor(from / rowHeight) - SPARE),
    last: Math.min(count, Math.ceil((from + height) / rowHeight) + SPARE),
    show: (row, head = 0) => {
      const list = ref.current;
      if (!list || row < 0) return;
      const [begin, end] = [row * rowHeight, (row + 1) * rowHeight];
      if (begin < list.scrollTop) list.scrollTop = begin;
      else if (end + head > list.scrollTop + list.clientHeight) list.scrollTop = end + head - list.clientHeight;
    },
  };
}

/** Whether the page is being printed, where nobody can scroll. */
export function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const [begin, end] = [() => setPrinting(true), () => setPrinting(false)];
    window.addEventListener("beforeprint", begin);
    window.addEventListener("afterprint", end);
    return () => {
      window.removeEventListener("beforeprint", begin);
      window.removeEventListener("afterprint", end);
    };
  }, []);
  return printing;
}
