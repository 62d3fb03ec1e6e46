// A line chart of our own: canvas for the lines, a thin overlay for the crosshair, the same
// crosshair over all charts that share a cursor.
import { effect, type Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { lookOf, resolveColour } from "../../lib/colour";
import { paintVersion } from "../../shell/theme";
import { paintInTurn, paintNoMore } from "../paint_queue";
import { useSize } from "../useSize";
import { pngOf, svgOf, type Picture } from "./files";
import { layoutLines, type Line, type LineChartLayout, type LineChartOptions } from "./layout";
import { paintLines, sizeCanvas, type Ink, type LineLook } from "./paint";
import { paintCursor, type Stretch } from "./paint_cursor";

export interface LineChartProps extends Omit<LineChartOptions, "width" | "height"> {
  readonly lines: readonly Line[];
  readonly summary: string;
  /** Where the pointer is, in x, over any chart of the group; null: over none. */
  readonly cursor: Signal<number | null>;
  readonly onZoom: (range: readonly [number, number] | null) => void;
  /** Set to what gives the chart as a file, with the names of its lines. */
  readonly files?: ChartFiles;
  /** Marked places, the same in all charts of the group. They are dragged, or set by a click. */
  readonly fobs?: readonly Fob[];
  /** A click at x; `extend` if it was made with shift. On a fob: that one's index, which takes it away. */
  readonly onMark?: (x: number, extend: boolean, fob: number | null) => void;
  readonly onMoveFob?: (fob: number, x: number) => void;
  /** The pointer is at x; `distance` is how many pixels it is above or below a value. Null: it left. */
  readonly onPoint?: (at: { x: number; distance: (value: number) => number; clientX: number; clientY: number } | null) => void;
}

export interface ChartFiles {
  svg: (() => string | null) | null;
  png: (() => Promise<Blob | null>) | null;
}

function inkOf(element: Element): Ink {
  const style = getComputedStyle(element);
  return {
    grid: resolveColour(element, "--grid"),
    axis: resolveColour(element, "--line-strong"),
    text: resolveColour(element, "--ink-3"),
    paper: resolveColour(element, "--paper"),
    font: `11px ${style.fontFamily}`,
  };
}

function looksOf(element: Element, lines: readonly Line[]): LineLook[] {
  return lines.map((line) => {
    const look = line.look ?? lookOf(line.name);
    return { colour: resolveColour(element, `--run-${look.colour}`), dash: look.dash };
  });
}

/** A place on the x axis that was marked, and the label it carries. */
export interface Fob {
  readonly x: number;
  readonly text: string;
}

const CATCH = 6; // Pixels around a fob in which it is caught, and a drag that is still a click.

function Fobs({ fobs, layout, width, height }: { fobs: readonly Fob[]; layout: LineChartLayout; width: number; height: number }): JSX.Element {
  const { box } = layout;
  const inside = (x: number): number => Math.min(box.r, Math.max(box.l, layout.x(x)));
  const [from, to] = [Math.min(...fobs.map(({ x }) => inside(x))), Math.max(...fobs.map(({ x }) => inside(x)))];
  return (
    <svg class="chart overlay" width={width} height={height} aria-hidden="true">
      {fobs.length > 1 && <rect class="brush" x={from} y={box.t} width={to - from} height={box.b - box.t} />}
      {fobs.filter(({ x }) => x >= layout.x.domain[0] && x <= layout.x.domain[1]).map(({ x, text }) => {
        const at = Math.round(layout.x(x)) + 0.5;
        const half = text.length * 3.2 + 6;
        const middle = Math.min(Math.max(at, box.l + half), box.r + 8 - half);
        return (
          <g key={x}>
            <path class="fob-line" d={`M${at} ${box.t}V${box.b}`} />
            <rect class="fob" x={middle - half} y={box.b + 3} width={2 * half} height={17} rx={2} />
            <text class="fob-text" x={middle} y={box.b + 16} text-anchor="middle">{text}</text>
          </g>
        );
      })}
    </svg>
  );
}

export function LineChart(props: LineChartProps): JSX.Element {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const layout = useMemo(
    () => layoutLines(props.lines, { ...props, width, height }),
    [props.lines, width, height, props.logX, props.logY, props.clipOutliers, props.xRange, props.yRange, props.fromZero],
  );
  const painted = paintVersion.value;

  useLayoutEffect(() => {
    const [element, box] = [canvas.current, ref.current];
    if (!element || !box) return;
    paintInTurn(canvas, () => {
      if (!layout) {
        element.width = 0; // Wipes it.
        return;
      }
      const context = sizeCanvas(element, width, height);
      if (context) paintLines(context, layout, props.lines, looksOf(box, props.lines), inkOf(box));
    });
  }, [layout, painted]);
  useEffect(() => () => paintNoMore(canvas), []);
  // Following the pointer paints the overlay alone; nothing is rendered for it. A chart that was never
  // pointed at needs no overlay either.
  useEffect(() => {
    const [box, element] = [overlay.current, ref.current];
    if (!box || !element || !layout) return;
    let tools: { pen: CanvasRenderingContext2D; looks: LineLook[]; ink: Ink } | null = null;
    let stretch: Stretch | null = null;
    return effect(() => {
      const cursor = props.cursor.value;
      if (cursor === null && !tools) return;
      const pen = tools?.pen ?? sizeCanvas(box, width, height);
      if (!pen) return;
      tools ??= { pen, looks: looksOf(element, props.lines), ink: inkOf(element) };
      stretch = paintCursor(pen, layout, props.lines, tools.looks, tools.ink, cursor, stretch);
    });
  }, [layout, painted, props.cursor]);
  if (props.files) {
    const pictureNow = (): Picture | null => (ref.current && layout
      ? { layout, lines: props.lines, looks: looksOf(ref.current, props.lines), ink: inkOf(ref.current), width, height } : null);
    props.files.svg = () => { const picture = pictureNow(); return picture && svgOf(picture); };
    props.files.png = async () => { const picture = pictureNow(); return picture && pngOf(picture); };
  }

  useEffect(() => {
    // Once: the browser keeps every mark for as long as the page lives.
    if (layout && performance.getEntriesByName("chart:first").length === 0) performance.mark("chart:first");
  }, [layout !== null]);

  const caught = useRef<{ fob: number; moved: boolean } | null>(null);
  const pixelAt = (event: PointerEvent): number => {
    const left = ref.current?.getBoundingClientRect().left ?? 0;
    return Math.min(layout!.box.r, Math.max(layout!.box.l, event.clientX - left));
  };
  const xAt = (event: PointerEvent): number => layout!.x.invert(pixelAt(event));
  const fobAt = (pixel: number): number => (props.fobs ?? []).findIndex(({ x }) => Math.abs(layout!.x(x) - pixel) <= CATCH);
  const leave = (): void => {
    if (drag) return;
    props.cursor.value = null;
    props.onPoint?.(null);
  };
  const onMove = (event: PointerEvent): void => {
    if (!layout) return;
    const x = xAt(event);
    props.cursor.value = x;
    if (caught.current) {
      caught.current.moved = true;
      props.onMoveFob?.(caught.current.fob, x);
    } else if (drag) setDrag({ from: drag.from, to: x });
    const top = ref.current?.getBoundingClientRect().top ?? 0;
    props.onPoint?.({ x, distance: (value) => Math.abs(layout.y(value) - (event.clientY - top)), clientX: event.clientX, clientY: event.clientY });
  };
  const onDown = (event: PointerEvent): void => {
    if (!layout || event.button !== 0) return;
    ref.current?.setPointerCapture(event.pointerId);
    const fob = fobAt(pixelAt(event));
    if (fob >= 0) caught.current = { fob, moved: false };
    else setDrag({ from: xAt(event), to: xAt(event) });
  };
  const onUp = (event: PointerEvent): void => {
    if (!layout) return;
    const held = caught.current;
    caught.current = null;
    setDrag(null);
    if (held) return held.moved ? undefined : props.onMark?.(xAt(event), event.shiftKey, held.fob);
    if (!drag) return;
    if (Math.abs(layout.x(drag.to) - layout.x(drag.from)) > CATCH) props.onZoom([Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)]);
    else props.onMark?.(drag.to, event.shiftKey, null);
  };
  return (
    <div class="plot" ref={ref} role="img" aria-label={props.summary} onPointerMove={onMove} onPointerDown={onDown} onPointerUp={onUp}
      onPointerLeave={leave} onDblClick={() => props.onZoom(null)}>
      <canvas ref={canvas} aria-hidden="true" />
      <canvas class="overlay" ref={overlay} aria-hidden="true" />
      {layout && props.fobs && props.fobs.length > 0 && <Fobs fobs={props.fobs} layout={layout} width={width} height={height} />}
      {layout && drag && (
        <svg class="chart overlay" width={width} height={height} aria-hidden="true">
          <rect class="brush" x={Math.min(layout.x(drag.from), layout.x(drag.to))} y={layout.box.t}
            width={Math.abs(layout.x(drag.to) - layout.x(drag.from))} height={layout.box.b - layout.box.t} />
        </svg>
      )}
    </div>
  );
}
