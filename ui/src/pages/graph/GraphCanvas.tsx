// The drawing: panes side by side on one canvas, with their titles and a minimap.
import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useSize } from "../../base/dom/useSize";
import type { Camera, Size } from "./camera";
import type { Look } from "./colours";
import type { Drawing, Side } from "./data";
import { Grid } from "./grid";
import { Minimap } from "./Minimap";
import type { Indices, Marks } from "./paint";
import { boundsOf } from "./strokes";
import { useGraphPainting } from "./useGraphPainting";
import { useGraphPointing } from "./useGraphPointing";
import type { Way } from "./walk";

export interface GraphCanvasProps {
  readonly drawing: Drawing;
  readonly panes: readonly Side[];
  readonly looks: Readonly<Record<Side, Look>>;
  readonly marks: Marks;
  readonly camera: Signal<Camera | null>;
  readonly titles: Readonly<Record<Side, string>>;
  readonly summary: string;
  /** Called when the size of a pane is known, and again when it changes. */
  readonly onPane: (pane: Size) => void;
  readonly onPick: (box: number) => void;
  readonly onToggle: (box: number) => void;
  readonly onWalk: (way: Way) => void;
  readonly onHover: (box: number, side: Side, x: number, y: number) => void;
  readonly onRest: (camera: Camera) => void;
}

const TITLE_HEIGHT = 26;
const WAYS: Record<string, Way> = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };

function indicesOf(drawing: Drawing): Indices {
  const { boxes, links, width, height } = drawing.view;
  const rectangles = new Float64Array(drawing.count * 4);
  for (let i = 0; i < drawing.count; i += 1) {
    rectangles.set(
      [
        boxes.x[i]!,
        boxes.y[i]!,
        boxes.x[i]! + boxes.widths[i]!,
        boxes.y[i]! + Math.max(boxes.heights[i]!, drawing.tall[i]!),
      ],
      4 * i,
    );
  }
  const lines = new Float64Array(links.points.length * 4);
  links.points.forEach((points, i) => lines.set(boundsOf(points), 4 * i));
  return { boxes: new Grid(rectangles, width, height), links: new Grid(lines, width, height) };
}

export function GraphCanvas(props: GraphCanvasProps): JSX.Element {
  const { drawing, panes, camera } = props;
  const { ref, width, height } = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const indices = useMemo(() => indicesOf(drawing), [drawing]);
  const pane: Size = { width: width / panes.length, height };

  useEffect(() => {
    if (pane.width > 0 && pane.height > 0) props.onPane(pane);
  }, [pane.width, pane.height]);
  useGraphPainting(props, canvas, indices, { width, height });
  const pointing = useGraphPointing(props, canvas, indices, pane);

  // The keys of the graph work only while the drawing has the focus, because elsewhere they scroll the page or press
  // buttons.
  const onKey = (event: KeyboardEvent): void => {
    const way = WAYS[event.key];
    if (way) props.onWalk(way);
    else if (event.key === "Enter" || event.key === " ") props.onToggle(props.marks.selected);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div class="graph-canvas" ref={ref}>
      <canvas ref={canvas} tabIndex={0} role="application" aria-label={props.summary} onKeyDown={onKey} {...pointing} />
      {panes.map(
        (side, i) =>
          props.titles[side] !== "" && (
            <span
              key={side}
              class={`pane-title in-${side}`}
              style={{ left: `${i * pane.width}px`, maxWidth: `${pane.width - 24}px`, height: `${TITLE_HEIGHT}px` }}
            >
              {side === "a" ? "● A " : "◆ B "}
              {props.titles[side]}
            </span>
          ),
      )}
      {panes.length > 1 && <i class="pane-divide" style={{ left: `${pane.width}px` }} />}
      {width > 0 && (
        <Minimap drawing={drawing} looks={props.looks} side={panes.at(-1) ?? "a"} camera={camera} pane={pane} />
      )}
    </div>
  );
}
