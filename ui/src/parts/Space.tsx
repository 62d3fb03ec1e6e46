// A picture in space: dragged to turn it, with shift to move it, Ctrl and wheel or + and - to come nearer.
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { sizeCanvas } from "../charts/line/paint";
import { useSize } from "../charts/useSize";
import { moved, turned, zoomed, type Eye } from "../lib/space";
import { paintVersion } from "../shell/theme";

const STEP = 0.1; // Of an arrow key: radians, or that much of half the picture.
const CLICK = 4; // Pixels that a click may wander.

export function Space({ eye, flat = false, onEye, label, paint, onPoint, onPick }: {
  eye: Eye;
  /** There is no other side: it is moved instead of turned. */
  flat?: boolean;
  onEye: (eye: Eye) => void;
  label: string;
  paint: (context: CanvasRenderingContext2D, width: number, height: number, element: Element) => void;
  /** The pointer is at a place of the picture, while it is not dragged; null: it left. */
  onPoint?: (at: { x: number; y: number; clientX: number; clientY: number } | null) => void;
  onPick?: (x: number, y: number) => void;
}): JSX.Element {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const drag = useRef<{ x: number; y: number; far: number } | null>(null);
  const now = useRef({ eye, onEye });
  now.current = { eye, onEye };
  const shift = (dx: number, dy: number): Eye => moved(now.current.eye, dx / (Math.min(width, height) / 2), -dy / (Math.min(width, height) / 2));
  const painted = paintVersion.value;
  useLayoutEffect(() => {
    const context = canvas.current && sizeCanvas(canvas.current, width, height);
    if (context && width > 0 && ref.current) paint(context, width, height, ref.current);
  }, [paint, eye, width, height, painted]);
  useEffect(() => {
    const element = ref.current;
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return; // The page scrolls.
      event.preventDefault();
      now.current.onEye(zoomed(now.current.eye, Math.exp(-event.deltaY * 0.005)));
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
    onEye(flat || event.shiftKey ? shift(dx, dy) : turned(now.current.eye, dx * 0.01, dy * 0.01));
  };
  const onKey = (event: KeyboardEvent): void => {
    const from = now.current.eye;
    const by = (dx: number, dy: number): Eye => (flat || event.shiftKey ? moved(from, dx * STEP, -dy * STEP) : turned(from, dx * STEP, dy * STEP));
    const turn: Record<string, () => Eye> = {
      ArrowLeft: () => by(-1, 0), ArrowRight: () => by(1, 0), ArrowUp: () => by(0, -1), ArrowDown: () => by(0, 1),
      "+": () => zoomed(from, 1.25), "=": () => zoomed(from, 1.25), "-": () => zoomed(from, 0.8),
    };
    const next = turn[event.key]?.();
    if (!next || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    onEye(next);
  };
  return (
    <div class="space" ref={ref} tabIndex={0} role="application" aria-label={`${label}. Arrow keys ${flat ? "move" : "turn"} it, + and - zoom.`} onKeyDown={onKey}
      onPointerDown={(event) => { if (event.button === 0) { ref.current?.setPointerCapture(event.pointerId); drag.current = { x: event.clientX, y: event.clientY, far: 0 }; onPoint?.(null); } }}
      onPointerMove={onMove} onPointerLeave={() => onPoint?.(null)}
      onPointerUp={(event) => { const held = drag.current; drag.current = null; if (held && held.far < CLICK) { const { x, y } = at(event); onPick?.(x, y); } }}>
      <canvas ref={canvas} aria-hidden="true" />
    </div>
  );
}
