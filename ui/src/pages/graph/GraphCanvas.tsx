// The picture: panes on one canvas, moved and zoomed by pointer, wheel and two fingers. It keeps 60
// frames a second by painting what is in sight; where even that is too much, the last picture moves
// with the hand and is painted anew when the hand rests.
import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { sizeCanvas } from "../../charts/line/paint";
import { useSize } from "../../charts/useSize";
import { resolveColour } from "../../lib/colour";
import { paintVersion } from "../../shell/theme";
import { kept, leastZoom, panned, zoomed, type Camera, type Size } from "./camera";
import type { Look } from "./colours";
import { isIn, Kind, type Drawing, type Side } from "./data";
import { Grid } from "./grid";
import { Minimap } from "./Minimap";
import { heightIn, paintMatch, paintPane, type Indices, type Ink, type Marks, type Pane } from "./paint";
import { boundsOf } from "./strokes";
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

const CLICK = 5; // Pixels a pointer may move in a click.
const HEAVY_MILLISECONDS = 10;
const REST_MILLISECONDS = 110;
const TITLE_HEIGHT = 26;
const WAYS: Record<string, Way> = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };

export function inkOf(element: Element): Ink {
  const colour = (name: string): string => resolveColour(element, name);
  const list = (name: string, from: number, to: number): string[] => Array.from({ length: to - from + 1 }, (_, i) => colour(`--${name}-${from + i}`));
  return {
    paper: colour("--paper"), sunk: colour("--paper-sunk"), group: colour("--paper-sel"), line: colour("--line-strong"), control: colour("--control"),
    ink: colour("--ink"), ink2: colour("--ink-2"), ink3: colour("--ink-3"), good: colour("--good"), warn: colour("--warn"), bad: colour("--bad"),
    heat: list("heat", 0, 5), runs: list("run", 1, 8), family: getComputedStyle(element).fontFamily,
  };
}

function indicesOf(drawing: Drawing): Indices {
  const { boxes, links, width, height } = drawing.view;
  const rectangles = new Float64Array(drawing.count * 4);
  for (let i = 0; i < drawing.count; i += 1) {
    rectangles.set([boxes.x[i]!, boxes.y[i]!, boxes.x[i]! + boxes.widths[i]!, boxes.y[i]! + Math.max(boxes.heights[i]!, drawing.tall[i]!)], 4 * i);
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
  const now = useRef({ props, indices, pane });
  now.current = { props, indices, pane };
  const frame = useRef({ request: 0, heavy: false, last: null as { picture: HTMLCanvasElement; camera: Camera } | null, rest: 0 });

  useEffect(() => { if (pane.width > 0 && pane.height > 0) props.onPane(pane); }, [pane.width, pane.height]);

  const ink = useRef<Ink | null>(null);
  const themed = paintVersion.value;
  useLayoutEffect(() => { if (ref.current) ink.current = inkOf(ref.current); }, [themed, width > 0]);

  const paint = (moving: boolean): void => {
    const element = canvas.current;
    const at = camera.peek();
    if (!element || !at || !ink.current || width === 0) return;
    const context = element.getContext("2d");
    if (!context) return;
    const { last } = frame.current;
    if (moving && frame.current.heavy && last) {
      const scale = at.k / last.camera.k;
      context.fillStyle = ink.current.sunk;
      context.fillRect(0, 0, width, height);
      panes.forEach((_, i) => {
        context.save();
        context.beginPath();
        context.rect(i * pane.width, 0, pane.width, height);
        context.clip();
        context.translate(i * pane.width + (last.camera.x - at.x) * at.k, (last.camera.y - at.y) * at.k);
        const ratio = last.picture.width / width;
        context.drawImage(last.picture, i * pane.width * ratio, 0, pane.width * ratio, last.picture.height, 0, 0, pane.width * scale, height * scale);
        context.restore();
      });
      return;
    }
    const begin = performance.now();
    context.fillStyle = ink.current.sunk;
    context.fillRect(0, 0, width, height);
    const shown = panes.map((side, i): Pane => ({ side, left: i * pane.width, ...pane }));
    for (const one of shown) paintPane(context, drawing, indices, props.looks[one.side], props.marks, at, one, ink.current);
    if (shown.length > 1) paintMatch(context, drawing, props.marks.selected, at, shown, ink.current);
    frame.current.heavy = performance.now() - begin > HEAVY_MILLISECONDS;
    if (frame.current.heavy) {
      const picture = frame.current.last?.picture ?? document.createElement("canvas");
      [picture.width, picture.height] = [element.width, element.height];
      picture.getContext("2d")?.drawImage(element, 0, 0);
      frame.current.last = { picture, camera: at };
    }
  };
  const painter = useRef(paint);
  painter.current = paint;
  const repaint = (moving: boolean): void => {
    cancelAnimationFrame(frame.current.request);
    frame.current.request = requestAnimationFrame(() => painter.current(moving));
  };

  useLayoutEffect(() => {
    if (canvas.current && width > 0) sizeCanvas(canvas.current, width, height);
    frame.current.last = null;
    repaint(false);
  }, [width, height]);
  useLayoutEffect(() => repaint(false), [drawing, props.looks, props.marks, panes, themed]);
  useEffect(() => camera.subscribe(() => {
    repaint(true);
    clearTimeout(frame.current.rest);
    frame.current.rest = window.setTimeout(() => {
      repaint(false);
      const at = camera.peek();
      if (at) now.current.props.onRest(at);
    }, REST_MILLISECONDS);
  }), [camera]);
  useEffect(() => () => {
    clearTimeout(frame.current.rest);
    cancelAnimationFrame(frame.current.request);
  }, []);

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
    const under = indices.boxes.find({ x0: x, y0: y, x1: x, y1: y }).filter((box) => (!boxes.b || isIn(drawing, box, side)) && y <= boxes.y[box]! + heightIn(drawing, box, side));
    // Of an open group only the head can be hit; what is in it comes later in the order.
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
    gesture.current.moved = Math.max(gesture.current.moved, Math.hypot(event.clientX - gesture.current.startX, event.clientY - gesture.current.startY));
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
    if (box >= 0 && drawing.view.boxes.kinds[box] !== Kind.Node && (drawing.view.boxes.kinds[box] === Kind.Open || x < 28)) props.onToggle(box);
    else props.onPick(box);
  };
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault(); // Or the page would scroll, and a pinch would zoom it.
      const { props: p, pane: size } = now.current;
      const from = p.camera.peek();
      if (!from) return;
      const unit = event.deltaMode === 1 ? 18 : 1;
      const to = event.ctrlKey || event.metaKey
        ? zoomed(from, Math.exp(-event.deltaY * unit * 0.006), local(event), leastZoom(p.drawing.view, size))
        : panned(from, event.shiftKey ? -event.deltaY * unit : -event.deltaX * unit, event.shiftKey ? 0 : -event.deltaY * unit);
      p.camera.value = kept(to, p.drawing.view, size);
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, [panes.length, pane.width]);

  // Only while the picture has the focus: elsewhere these keys scroll, and press buttons.
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
      <canvas ref={canvas} tabIndex={0} role="application" aria-label={props.summary} onKeyDown={onKey}
        onPointerDown={onDown} onPointerMove={onMove} onPointerUp={onUp}
        onPointerCancel={(event) => pointers.current.delete(event.pointerId)}
        onPointerLeave={() => props.onHover(-1, "a", 0, 0)}
        onDblClick={(event) => {
          const { box } = boxAt(event);
          if (box >= 0 && drawing.view.boxes.kinds[box] === Kind.Closed) props.onToggle(box);
        }} />
      {panes.map((side, i) => props.titles[side] !== "" && (
        <span key={side} class={`pane-title in-${side}`} style={{ left: `${i * pane.width}px`, maxWidth: `${pane.width - 24}px`, height: `${TITLE_HEIGHT}px` }}>
          {side === "a" ? "● A " : "◆ B "}{props.titles[side]}
        </span>
      ))}
      {panes.length > 1 && <i class="pane-divide" style={{ left: `${pane.width}px` }} />}
      {width > 0 && <Minimap drawing={drawing} looks={props.looks} side={panes.at(-1) ?? "a"} camera={camera} pane={pane} />}
    </div>
  );
}
