// A long list of equally high rows, of which only those in sight exist.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useSize } from "../charts/useSize";

const SPARE = 6;

export function VirtualList<T>({ items, rowHeight, keyOf, render, label }: {
  items: readonly T[];
  rowHeight: number;
  keyOf: (item: T) => string;
  render: (item: T) => JSX.Element;
  label: string;
}): JSX.Element {
  const { ref, height: measured } = useSize<HTMLDivElement>();
  const [top, setTop] = useState(0);
  const height = measured || 600;
  const first = Math.max(0, Math.floor(top / rowHeight) - SPARE);
  const last = Math.min(items.length, Math.ceil((top + height) / rowHeight) + SPARE);
  return (
    <div class="virtual" ref={ref} role="list" aria-label={label} onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
      <div class="virtual-room" style={{ height: `${items.length * rowHeight}px` }}>
        {items.slice(first, last).map((item, i) => (
          <div key={keyOf(item)} role="listitem" class="virtual-row" style={{ top: `${(first + i) * rowHeight}px`, height: `${rowHeight}px` }}>
            {render(item)}
          </div>
        ))}
      </div>
    </div>
  );
}
