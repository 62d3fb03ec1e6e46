// How many rows of a long table exist. A browser lays out every cell before it shows the first, so there
// are a few more than a screen has, and others before somebody has scrolled to them.
import { useEffect, useRef, useState } from "preact/hooks";
import { followNear } from "../base/dom/useNear";
import { usePrinting } from "./useRowsInSight";

const AT_FIRST = 40;
const AT_ONCE = 60;

export interface GrowingRows {
  readonly shown: number;
  /** Goes to what comes after the last row while there are more. */
  readonly end: { current: HTMLButtonElement | null };
  /** Adds rows without scrolling. */
  readonly more: () => void;
}

export function useGrowingRows(count: number): GrowingRows {
  const [most, setMost] = useState(AT_FIRST);
  const end = useRef<HTMLButtonElement | null>(null);
  const more = (): void => setMost(most + AT_ONCE);
  const printing = usePrinting();
  const shown = printing ? count : Math.min(count, most);
  // Observed again each time rows were added, which tells whether the end is still in sight.
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
