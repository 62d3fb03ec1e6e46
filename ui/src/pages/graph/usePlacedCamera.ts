// The camera of a graph: from the address, or placed so that the selected node is visible. The camera stays while
// groups open and close, and follows the selection.
import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { query } from "../../base/address";
import { cameraText, kept, readCamera, revealing, start, withoutVoid, type Camera, type Size } from "./camera";
import { boxOfPath, Kind, type Drawing } from "./data";

/** A box and its position on the screen. The box stays at this position when other groups open or close. */
interface Anchor {
  readonly path: string;
  readonly x: number;
  readonly y: number;
}

export interface PlacedCamera {
  readonly camera: Signal<Camera | null>;
  /** The size of the pane, from the last call of onPane(). */
  readonly pane: { readonly current: Size };
  readonly onPane: (size: Size) => void;
  /** Returns to the first camera of this graph. */
  readonly goHome: () => void;
  /** Keeps a box at its position on the screen when the next drawing arrives. */
  readonly hold: (box: number) => void;
  /** The camera as text for the address; null if the page placed it itself. */
  readonly textOf: (camera: Camera) => string | null;
}

/** The camera for a drawing. `path` is the path of the selected node, `selected` the index of its box or -1. */
export function usePlacedCamera(drawing: Drawing, path: string | null, selected: number): PlacedCamera {
  const { view } = drawing;
  const wanted = query.value.get("node");
  const camera = useSignal<Camera | null>(null);
  const pane = useRef<Size>({ width: 0, height: 0 });
  const anchor = useRef<Anchor | null>(null);
  // The camera that the page placed itself; it is not stored in the address.
  const placed = useRef<Camera | null>(null);
  const place = (at: Camera): void => {
    camera.value = placed.current = at;
  };
  // The camera at the start. Until the user moves the camera, it is computed again when the size of the pane changes.
  const arrived = useRef<Camera | null>(null);
  const rectangle = (box: number): { x0: number; y0: number; x1: number; y1: number } => ({
    x0: view.boxes.x[box]!,
    y0: view.boxes.y[box]!,
    x1: view.boxes.x[box]! + view.boxes.widths[box]!,
    y1: view.boxes.y[box]! + Math.max(view.boxes.heights[box]!, drawing.tall[box]!),
  });
  const reveal = (box: number): void => {
    const at = camera.peek();
    if (box < 0 || !at || pane.current.width === 0) return;
    place(withoutVoid(revealing(at, rectangle(box), pane.current), view, pane.current));
    if (at === arrived.current) arrived.current = camera.peek();
  };
  const goHome = (): void => {
    const first = Math.max(
      0,
      view.boxes.kinds.findIndex((kind) => kind !== Number(Kind.Open)),
    );
    place(start(view, pane.current, (view.boxes.x[first] ?? 0) + (view.boxes.widths[first] ?? 0) / 2));
  };
  const settle = (): void => {
    goHome();
    reveal(selected);
    arrived.current = camera.peek();
  };
  const onPane = (size: Size): void => {
    pane.current = size;
    const at = camera.peek();
    if (at && at !== arrived.current) {
      if (at === placed.current) reveal(selected);
      return;
    }
    const linked = readCamera(query.value.get("at"));
    if (linked) camera.value = linked;
    else settle();
  };
  const hold = (box: number): void => {
    const at = camera.peek();
    if (at)
      anchor.current = {
        path: view.boxes.paths[box]!,
        x: (view.boxes.x[box]! - at.x) * at.k,
        y: (view.boxes.y[box]! - at.y) * at.k,
      };
  };

  // When groups were opened or closed, the clicked box stays at its position.
  const before = useRef({ drawing, path }); // onPane() places the camera for the first drawing.
  useEffect(() => {
    const held = anchor.current;
    const at = camera.peek();
    anchor.current = null;
    if (!at || before.current.drawing === drawing) return;
    before.current.drawing = drawing;
    const box = held ? boxOfPath(drawing, held.path) : -1;
    if (held && box >= 0)
      place(
        kept(
          { k: at.k, x: view.boxes.x[box]! - held.x / at.k, y: view.boxes.y[box]! - held.y / at.k },
          view,
          pane.current,
        ),
      );
    else if (at === arrived.current && wanted === null)
      settle(); // The selection arrived late, together with open groups that make the drawing wider.
    else if (wanted !== null || at === placed.current) reveal(selected);
  }, [drawing]);
  useEffect(() => {
    if (before.current.path === path) return;
    before.current.path = path;
    if (wanted !== null || !query.peek().has("at")) reveal(selected);
  }, [path]);
  return { camera, pane, onPane, goHome, hold, textOf: (at) => (at === placed.current ? null : cameraText(at)) };
}
