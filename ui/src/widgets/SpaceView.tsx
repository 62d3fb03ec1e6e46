// A 3D view: drag to rotate, shift and drag to move, Ctrl and wheel or + and - to zoom.
import { sizeCanvas } from "../base/dom/canvas";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { useSize } from "../base/dom/useSize";
import { moved, turned, zoomed, type Camera } from "../base/math/space";
import { paintVersion } from "../base/theme";

const STEP = 0.1; // The step of an arrow key: radians, or a fraction of half the picture.
const CLICK = 4; // The max movement of a click, in pixels.

export function SpaceView({
  camera,
  flat = false,
  onCamera,
  label,
  paint,
  onPoint,
  onPick,
}: {
  camera: Camera;
  /** True if the picture is flat: dragging then moves the picture instead of rotating it. */
  flat?: boolean;
  onCamera: (camera: Camera) => void;
  label: string;
  paint: (context: CanvasRenderingContext2D, width: number, height: number, element: Element) => void;
  /**
   * Called with the position of the pointer in the picture while the picture is not being dragged; null if the pointer
   * has left it.
   */
  onPoint?: (at: { x: number; y: number; clientX: number; clientY: number } | null) => void;
  onPick?: (x: number, y: number) => void;
}): JSX.Element {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const drag = useRef<{ x: number; y: number; far: number } | null>(null);
  const now = useRef({ camera, onCamera });
  now.current = { camera, onCamera };
  const shift = (dx: number, dy: number): Camera =>
    moved(now.current.camera, dx / (Math.min(width, height) / 2), -dy / (Math.min(width, height) / 2));
  const painted = paintVersion.value;
  useLayoutEffect(() => {
    const context = canvas.current && sizeCanvas(canvas.current, width, height);
    if (context && width > 0 && ref.current) paint(context, width, height, ref.current);
  }, [paint, camera, width, height, painted]);
  useEffect(() => {
    const element = ref.current;
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return; // Touch gestures scroll the page.
      event.preventDefault();
      now.current.onCamera(zoomed(now.current.camera, Math.exp(-event.deltaY * 0.005)));
    };
    element?.addEventListener("wheel", onWheel, { passive: false });
    return () => element?.removeEventListener("wheel", onWheel);
  }, []);
  const at = (event: PointerEvent): { x: number; y: number } => {
    const frame = ref.current!.getBoundingClientRect();
    return { x: event.clientX - frame.left, y: event.clientY - frame.top };
  };
  const onMove = (event: PointerEvent): void => {
    const held = drag.current;
    if (!held) return onPoint?.({ ...at(event), clientX: event.clientX, clientY: event.clientY });
    const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
    drag.current = { x: event.clientX, y: event.clientY, far: held.far + Math.hypot(dx, dy) };
    onCamera(flat || event.shiftKey ? shift(dx, dy) : turned(now.current.camera, dx * 0.01, dy * 0.01));
  };
  const onKey = (event: KeyboardEvent): void => {
    const from = now.current.camera;
    const by = (dx: number, dy: number): Camera =>
      flat || event.shiftKey ? moved(from, dx * STEP, -dy * STEP) : turned(from, dx * STEP, dy * STEP);
    const turn: Record<string, () => Camera> = {
      ArrowLeft: () => by(-1, 0),
      ArrowRight: () => by(1, 0),
      ArrowUp: () => by(0, -1),
      ArrowDown: () => by(0, 1),
      "+": () => zoomed(from, 1.25),
      "=": () => zoomed(from, 1.25),
      "-": () => zoomed(from, 0.8),
    };
    const next = turn[event.key]?.();
    if (!next || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    onCamera(next);
  };
  return (
    <div
      class="space"
      ref={ref}
      tabIndex={0}
      role="application"
      aria-label={`${label}. Arrow keys ${flat ? "move" : "turn"} the view, + and - zoom.`}
      onKeyDown={onKey}
      onPointerDown={(event) => {
        if (event.button === 0) {
          ref.current?.setPointerCapture(event.pointerId);
          drag.current = { x: event.clientX, y: event.clientY, far: 0 };
          onPoint?.(null);
        }
      }}
      onPointerMove={onMove}
      onPointerLeave={() => onPoint?.(null)}
      onPointerUp={(event) => {
        const held = drag.current;
        drag.current = null;
        if (held && held.far < CLICK) {
          const { x, y } = at(event);
          onPick?.(x, y);
        }
      }}
    >
      <canvas ref={canvas} aria-hidden="true" />
    </div>
  );
}
