// The graph as a table, for screen readers and for copying.
import type { JSX } from "preact";
import { plural } from "../../base/text/format";
import { VirtualList } from "../../widgets/VirtualList";
import type { Look } from "./colours";
import { groupsAround, isIn, Kind, opOf, type Drawing, type Side } from "./data";

const CHANGES = ["", "changed", "added", "gone", "fused"];

export function BoxTable({
  drawing,
  side,
  look,
  selected,
  onPick,
  onToggle,
}: {
  drawing: Drawing;
  side: Side;
  look: Look;
  selected: number;
  onPick: (box: number) => void;
  onToggle: (box: number) => void;
}): JSX.Element {
  const { boxes } = drawing.view;
  const rows = [...Array(drawing.count).keys()].sort((p, q) => boxes.y[p]! - boxes.y[q]! || boxes.x[p]! - boxes.x[q]!);
  return (
    <div class="box-table">
      <VirtualList
        items={rows}
        rowHeight={28}
        keyOf={(box) => boxes.paths[box] ?? ""}
        label="Boxes of the graph, from top to bottom"
        render={(box) => {
          const kind = boxes.kinds[box];
          const own: Side = boxes.b && !isIn(drawing, box, side) ? (side === "a" ? "b" : "a") : side;
          return (
            <div
              class={`box-row${box === selected ? " sel" : ""}`}
              style={{ paddingLeft: `${12 + 16 * groupsAround(drawing, box).length}px` }}
            >
              {kind === Kind.Node ? (
                <span class="turn" />
              ) : (
                <button
                  class="turn"
                  aria-expanded={kind === Kind.Open}
                  aria-label={`${kind === Kind.Open ? "Close" : "Open"} ${boxes.labels[box]}`}
                  onClick={() => onToggle(box)}
                >
                  {kind === Kind.Open ? "▾" : "▸"}
                </button>
              )}
              <button
                class="box-name"
                title={boxes.paths[box]}
                aria-pressed={box === selected}
                onClick={() => onPick(box)}
              >
                {boxes.labels[box]}
              </button>
              <span class="dim">
                {kind === Kind.Node
                  ? opOf(drawing, box, own)
                  : plural((own === "b" ? boxes.b : boxes.a)?.node_counts[box] ?? 0, "op")}
              </span>
              {boxes.b && <span class="dim">{CHANGES[boxes.changes[box] ?? 0]}</span>}
              <span class={`num ${look.levels[box]}`}>{look.texts[box]}</span>
            </div>
          );
        }}
      />
    </div>
  );
}
