// A long list with rows of equal height that creates elements only for the visible rows.
import type { JSX } from "preact";
import { useRowsInSight } from "./useRowsInSight";

export function VirtualList<T>({
  items,
  rowHeight,
  keyOf,
  render,
  label,
}: {
  items: readonly T[];
  rowHeight: number;
  keyOf: (item: T) => string;
  render: (item: T) => JSX.Element;
  label: string;
}): JSX.Element {
  const { ref, onScroll, first, last } = useRowsInSight(items.length, rowHeight);
  return (
    <div class="virtual" ref={ref} role="list" aria-label={label} onScroll={onScroll}>
      <div class="virtual-room" style={{ height: `${items.length * rowHeight}px` }}>
        {items.slice(first, last).map((item, i) => (
          <div
            key={keyOf(item)}
            role="listitem"
            class="virtual-row"
            style={{ top: `${(first + i) * rowHeight}px`, height: `${rowHeight}px` }}
          >
            {render(item)}
          </div>
        ))}
      </div>
    </div>
  );
}
