// Handles pointer, wheel and touch on a graph: they move and zoom the graph, and point at, select and open boxes.
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { kept, leastZoom, panned, zoomed, type Camera, type Size } from "./camera";
import { isIn, Kind, type Side } from "./data";
import type { GraphCanvasProps } from "./GraphCanvas";
import { heightIn, type Indices } from "./paint";

const CLICK = 5; // The max movement of a click, in pixels.

export interface GraphPointing {
  readonly onPointerDown: (event: PointerEvent) => void;
  readonly onPointerMove: (event: PointerEvent) => void;
  readonly onPointerUp: (event: PointerEvent) => void;
  readonly onPointerCancel: (event: PointerEvent) => void;
  readonly onPointerLeave: () => void;
  readonly onDblClick: (event: MouseEvent) => void;
}

export function useGraphPointing(
  props: GraphCanvasProps,
  canvas: RefObject<HTMLCanvasElement | null>,
  indices: Indices,
  pane: Size,
): GraphPointing {
  const { drawing, panes, camera } = props;
  const now = useRef({ props, pane });
  now.current = { props, pane };
  const move = (change: (from: Camera) => Camera): void => {
    const from = camera.peek();
    if (from) camera.value = kept(change(from), drawing.view, pane);
  };
  const local = (event: { clientX: number; clientY: number }): { x: number; y: number; pane: number } => {
    const box = canvas.current!.getBoundingClientRect();
    const x = event.clientX - box.left;
    const index = Math.max(0, Math.min(panes.length - 1, Math.floor(x / pane.width)));
    return { x: x - index * pane.width, y: event.clientY - box.top, pane: index };
  };
  const boxAt = (event: { clientX: number; clientY: number }): { box: number; side: Side; x: number } => {
    const at = camera.peek();
    const point = local(event);
    const side = panes[point.pane] ?? "a";
    if (!at) return { box: -1, side, x: 0 };
    const [x, y] = [at.x + point.x / at.k, at.y + point.y / at.k];
    const { boxes } = drawing.view;
    const under = indices.boxes
      .find({ x0: x, y0: y, x1: x, y1: y })
      .filter((box) => (!boxes.b || isIn(drawing, box, side)) && y <= boxes.y[box]! + heightIn(drawing, box, side));
    // Only the header of an open group reacts to the pointer. The boxes inside the group are tested later, because they
    // come later in the order.
    const box = under.reverse().find((b) => boxes.kinds[b] !== Kind.Open || y <= boxes.y[b]! + 20) ?? -1;
    return { box, side, x: box < 0 ? 0 : x - boxes.x[box]! };
  };

  const pointers = useRef(new Map<number, { x: number; y: number }>());
  const gesture = useRef({ moved: 0, startX: 0, startY: 0 });
  const onDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    canvas.current?.setPointerCapture(event.pointerId);
    pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (pointers.current.size === 1) gesture.current = { moved: 0, startX: event.clientX, startY: event.clientY };
  };
  const onMove = (event: PointerEvent): void => {
    const before = pointers.current.get(event.pointerId);
    if (!before) {
      const { box, side } = boxAt(event);
      props.onHover(box, side, event.clientX, event.clientY);
      return;
    }
    const [dx, dy] = [event.clientX - before.x, event.clientY - before.y];
    gesture.current.moved = Math.max(
      gesture.current.moved,
      Math.hypot(event.clientX - gesture.current.startX, event.clientY - gesture.current.startY),
    );
    const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const spread = (p: { x: number; y: number }): number => Math.max(10, Math.hypot(p.x - other.x, p.y - other.y));
      const middle = local({ clientX: (event.clientX + other.x) / 2, clientY: (event.clientY + other.y) / 2 });
      const factor = spread({ x: event.clientX, y: event.clientY }) / spread(before);
      move((from) => panned(zoomed(from, factor, middle, leastZoom(drawing.view, pane)), dx / 2, dy / 2));
      gesture.current.moved = CLICK + 1;
    } else if (gesture.current.moved > CLICK) {
      move((from) => panned(from, dx, dy));
    }
    pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
  };
  const onUp = (event: PointerEvent): void => {
    if (!pointers.current.delete(event.pointerId) || gesture.current.moved > CLICK) return;
    const { box, x } = boxAt(event);
    if (
      box >= 0 &&
      drawing.view.boxes.kinds[box] !== Kind.Node &&
      (drawing.view.boxes.kinds[box] === Kind.Open || x < 28)
    )
      props.onToggle(box);
    else props.onPick(box);
  };
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault(); // Prevents that the page scrolls, or that a pinch zooms the page.
      const { props: p, pane: size } = now.current;
      const from = p.camera.peek();
      if (!from) return;
      const unit = event.deltaMode === 1 ? 18 : 1;
      const to =
        event.ctrlKey || event.metaKey
          ? zoomed(from, Math.exp(-event.deltaY * unit * 0.006), local(event), leastZoom(p.drawing.view, size))
          : panned(
              from,
              event.shiftKey ? -event.deltaY * unit : -event.deltaX * unit,
              event.shiftKey ? 0 : -event.deltaY * unit,
            );
      p.camera.value = kept(to, p.drawing.view, size);
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, [panes.length, pane.width]);
  return {
    onPointerDown: onDown,
    onPointerMove: onMove,
    onPointerUp: onUp,
    onPointerCancel: (event) => {
      pointers.current.delete(event.pointerId);
    },
    onPointerLeave: () => props.onHover(-1, "a", 0, 0),
    onDblClick: (event) => {
      const { box } = boxAt(event);
      if (box >= 0 && drawing.view.boxes.kinds[box] === Kind.Closed) props.onToggle(box);
    },
  };
}
