// The number of rows that a long table contains. A browser lays out all rows before it shows the first, so the table
// begins with few rows and gets more before the user scrolls to its end.
import { useEffect, useRef, useState } from "preact/hooks";
import { followNear } from "../base/dom/useNear";
import { usePrinting } from "./useRowsInSight";

const AT_FIRST = 40;
const AT_ONCE = 60;

export interface GrowingRows {
  readonly shown: number;
  /** Set this as `ref` of the button after the last row. The button is shown while there are more rows. */
  readonly end: { current: HTMLButtonElement | null };
  /** Shows more rows, as scrolling to the end does; for the button. */
  readonly more: () => void;
}

export function useGrowingRows(count: number): GrowingRows {
  const [most, setMost] = useState(AT_FIRST);
  const end = useRef<HTMLButtonElement | null>(null);
  const more = (): void => setMost(most + AT_ONCE);
  const printing = usePrinting();
  const shown = printing ? count : Math.min(count, most);
  // Observes the end of the table again after rows were added, to find out whether the end is still visible.
  useEffect(
    () =>
      end.current
        ? followNear(end.current, (near) => {
            if (near) more();
          })
        : undefined,
    [shown, shown < count],
  );
  return { shown, end, more };
}
