// Computes which rows of a long list are visible and must exist. All rows have the same height.
import { useEffect, useState } from "preact/hooks";
import { useSize, type Sized } from "../base/dom/useSize";

const SPARE = 6; // Extra rows above and below the visible ones, so that they exist before the user scrolls to them.

export interface RowsInSight {
  /** Set `ref` and `onScroll` on the element that scrolls. */
  readonly ref: Sized<HTMLDivElement>["ref"];
  readonly onScroll: (event: { readonly currentTarget: HTMLElement }) => void;
  /** The first row that must exist, and the index after the last one. */
  readonly first: number;
  readonly last: number;
  /** Scrolls by the smallest distance that makes the row visible below a fixed header of `head` pixels. */
  readonly show: (row: number, head?: number) => void;
}

export function useRowsInSight(count: number, rowHeight: number): RowsInSight {
  const { ref, height: measured } = useSize<HTMLDivElement>();
  const [top, setTop] = useState(0);
  const height = measured || 600;
  // If the list became shorter, the browser scrolls to its end.
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

/** Whether the page is being printed. Then all rows must exist, because paper does not scroll. */
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
