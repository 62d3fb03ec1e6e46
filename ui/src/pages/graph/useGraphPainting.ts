// Paints the panes on one canvas. Only the visible part is painted, to reach 60 frames per second. If this is still too
// slow, the last picture is moved during a drag, and painted again when the drag ends.
import { sizeCanvas } from "../../base/dom/canvas";
import { resolveColour } from "../../base/dom/css_colour";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { paintVersion } from "../../base/theme";
import type { Camera, Size } from "./camera";
import type { GraphCanvasProps } from "./GraphCanvas";
import { paintMatch, paintPane, type Indices, type Ink, type Pane } from "./paint";

const HEAVY_MILLISECONDS = 10;
const REST_MILLISECONDS = 110;

function inkOf(element: Element): Ink {
  const colour = (name: string): string => resolveColour(element, name);
  const list = (name: string, from: number, to: number): string[] =>
    Array.from({ length: to - from + 1 }, (_, i) => colour(`--${name}-${from + i}`));
  return {
    paper: colour("--paper"),
    sunk: colour("--paper-sunk"),
    group: colour("--paper-sel"),
    line: colour("--line-strong"),
    control: colour("--control"),
    ink: colour("--ink"),
    ink2: colour("--ink-2"),
    ink3: colour("--ink-3"),
    good: colour("--good"),
    warn: colour("--warn"),
    bad: colour("--bad"),
    heat: list("heat", 0, 5),
    runs: list("run", 1, 8),
    family: getComputedStyle(element).fontFamily,
  };
}

interface Frame {
  request: number;
  heavy: boolean;
  last: { readonly picture: HTMLCanvasElement; readonly camera: Camera } | null;
  rest: number;
}

export function useGraphPainting(
  props: GraphCanvasProps,
  canvas: RefObject<HTMLCanvasElement | null>,
  indices: Indices,
  { width, height }: Size,
): void {
  const { drawing, panes, camera } = props;
  const pane: Size = { width: width / panes.length, height };
  const resting = useRef(props.onRest);
  resting.current = props.onRest;
  const frame = useRef<Frame>({ request: 0, heavy: false, last: null, rest: 0 });
  const ink = useRef<Ink | null>(null);
  const themed = paintVersion.value;
  useLayoutEffect(() => {
    if (canvas.current) ink.current = inkOf(canvas.current);
  }, [themed, width > 0]);

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
        context.drawImage(
          last.picture,
          i * pane.width * ratio,
          0,
          pane.width * ratio,
          last.picture.height,
          0,
          0,
          pane.width * scale,
          height * scale,
        );
        context.restore();
      });
      return;
    }
    const begin = performance.now();
    context.fillStyle = ink.current.sunk;
    context.fillRect(0, 0, width, height);
    const shown = panes.map((side, i): Pane => ({ side, left: i * pane.width, ...pane }));
    for (const one of shown)
      paintPane(context, drawing, indices, props.looks[one.side], props.marks, at, one, ink.current);
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
  useEffect(
    () =>
      camera.subscribe(() => {
        repaint(true);
        clearTimeout(frame.current.rest);
        frame.current.rest = window.setTimeout(() => {
          repaint(false);
          const at = camera.peek();
          if (at) resting.current(at);
        }, REST_MILLISECONDS);
      }),
    [camera],
  );
  useEffect(
    () => () => {
      clearTimeout(frame.current.rest);
      cancelAnimationFrame(frame.current.request);
    },
    [],
  );
}
