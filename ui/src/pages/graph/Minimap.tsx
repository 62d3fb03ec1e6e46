// A minimap: the whole graph in a corner, with a frame around its visible part.
import { sizeCanvas } from "../../base/dom/canvas";
import { resolveColour } from "../../base/dom/css_colour";
import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { paintVersion } from "../../base/theme";
import { kept, minimapSize, seen, seesAll, type Camera, type Size } from "./camera";
import type { Look } from "./colours";
import { isIn, Kind, type Drawing, type Side } from "./data";

export function Minimap({
  drawing,
  looks,
  side,
  camera,
  pane,
}: {
  drawing: Drawing;
  looks: Readonly<Record<Side, Look>>;
  side: Side;
  camera: Signal<Camera | null>;
  pane: Size;
}): JSX.Element | null {
  const canvas = useRef<HTMLCanvasElement>(null);
  const frame = useRef<HTMLSpanElement>(null);
  const root = useRef<HTMLDivElement>(null);
  const size = minimapSize(drawing.view);
  const themed = paintVersion.value;

  useLayoutEffect(() => {
    const context = canvas.current && sizeCanvas(canvas.current, size.width, size.height);
    if (!context || !canvas.current) return;
    const element = canvas.current.parentElement ?? canvas.current;
    const plain = resolveColour(element, "--control");
    const heat = Array.from({ length: 6 }, (_, i) => resolveColour(element, `--heat-${i}`));
    const { boxes } = drawing.view;
    const look = looks[side];
    context.clearRect(0, 0, size.width, size.height);
    for (let i = 0; i < drawing.count; i += 1) {
      if (boxes.kinds[i] === Kind.Open || (boxes.b && !isIn(drawing, i, side))) continue;
      context.fillStyle = look.heat[i]! > 0 ? (heat[look.heat[i]!] ?? plain) : plain;
      context.fillRect(
        boxes.x[i]! * size.scale,
        boxes.y[i]! * size.scale,
        Math.max(1, boxes.widths[i]! * size.scale),
        Math.max(1, boxes.heights[i]! * size.scale),
      );
    }
  }, [drawing, looks, side, themed]);

  // The frame follows the camera without rendering the component.
  useEffect(
    () =>
      camera.subscribe((at) => {
        if (!frame.current || !root.current || !at) return;
        root.current.hidden = seesAll(at, drawing.view, pane);
        const area = seen(at, pane);
        const clamp = (value: number, most: number): number => Math.max(0, Math.min(most, value * size.scale));
        const [x0, x1] = [clamp(area.x0, size.width), clamp(area.x1, size.width)];
        const [y0, y1] = [clamp(area.y0, size.height), clamp(area.y1, size.height)];
        frame.current.style.transform = `translate(${x0}px, ${y0}px)`;
        frame.current.style.width = `${Math.max(4, x1 - x0)}px`;
        frame.current.style.height = `${Math.max(4, y1 - y0)}px`;
      }),
    [camera, drawing, pane.width, pane.height],
  );

  const go = (event: PointerEvent): void => {
    const box = canvas.current?.getBoundingClientRect();
    const at = camera.peek();
    if (!box || !at || (event.type === "pointermove" && event.buttons === 0)) return;
    const [x, y] = [(event.clientX - box.left) / size.scale, (event.clientY - box.top) / size.scale];
    camera.value = kept({ k: at.k, x: x - pane.width / 2 / at.k, y: y - pane.height / 2 / at.k }, drawing.view, pane);
  };
  return (
    <div
      class="minimap"
      ref={root}
      aria-hidden="true"
      style={{ width: `${size.width}px`, height: `${size.height}px` }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        go(event);
      }}
      onPointerMove={go}
    >
      <canvas ref={canvas} />
      <span ref={frame} />
    </div>
  );
}
