// A line chart: a canvas for the lines and an overlay for the crosshair. Charts with the same cursor signal show the
// crosshair at the same x.
import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useSize } from "../../base/dom/useSize";
import { Fobs, type Fob } from "./Fobs";
import { pngOf, svgOf, type Drawing } from "./files";
import { layoutLines, type Line, type LineChartLayout, type LineChartOptions } from "./layout";
import { pictureOf, takeLong, type Picture } from "./stretch";
import { inkOf, looksOf, useLinePainting } from "./useLinePainting";

export interface LineChartProps extends Omit<LineChartOptions, "width" | "height"> {
  readonly lines: readonly Line[];
  readonly summary: string;
  /** The x position of the pointer over any chart of the group; null if it is over none. */
  readonly cursor: Signal<number | null>;
  /** Called when the user drags to select a range, or drags with shift to pan. */
  readonly onZoom: (range: readonly [number, number] | null) => void;
  /** True if other lines will arrive soon. Lines that are slow to draw are then not drawn until they have arrived. */
  readonly changing?: boolean;
  /** The chart sets this reference to functions that save the chart as a file with the names of its lines. */
  readonly files?: ChartFiles;
  /** The title of the chart in the saved files. */
  readonly title?: string;
  /** Fobs (marked places). All charts of the group have the same fobs. A click adds a fob; dragging moves it. */
  readonly fobs?: readonly Fob[];
  /**
   * The user clicked at x. `extend` is true if shift was pressed. `fob` is the index of the clicked fob; the caller
   * then removes this fob.
   */
  readonly onMark?: (x: number, extend: boolean, fob: number | null) => void;
  readonly onMoveFob?: (fob: number, x: number) => void;
  /**
   * The pointer is at x. `distance` returns the number of pixels between the pointer and a value. Null if the pointer
   * has left the chart.
   */
  readonly onPoint?: (
    at: { x: number; distance: (value: number) => number; clientX: number; clientY: number } | null,
  ) => void;
}

export interface ChartFiles {
  svg: (() => string | null) | null;
  png: (() => Promise<Blob | null>) | null;
}

const CATCH = 6; // Max pixels between pointer and fob to drag it; also the max movement of a click.

export function LineChart(props: LineChartProps): JSX.Element {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  // While the user pans: the position at the start, and the visible range. The y axis stays fixed until the end, so
  // that curves move without being rescaled.
  const [pan, setPan] = useState<{
    at: number;
    began: LineChartLayout;
    picture: Picture | null;
    range: readonly [number, number];
  } | null>(null);
  const layout = useMemo(
    () =>
      layoutLines(props.lines, {
        ...props,
        width,
        height,
        ...(pan ? { xRange: pan.range, yRange: pan.began.y.domain } : {}),
      }),
    [
      props.lines,
      width,
      height,
      props.logX,
      props.logY,
      props.clipOutliers,
      props.xRange,
      props.yRange,
      props.fromZero,
      pan,
    ],
  );
  const canvases = { root: ref, canvas, overlay, width, height };
  useLinePainting(props.lines, layout, props.cursor, canvases, {
    picture: pan?.picture ?? null,
    changing: props.changing ?? false,
  });
  if (props.files) {
    const drawingNow = (): Drawing | null =>
      ref.current && layout
        ? {
            title: props.title ?? "",
            layout,
            lines: props.lines,
            looks: looksOf(ref.current, props.lines),
            ink: inkOf(ref.current),
            width,
            height,
          }
        : null;
    props.files.svg = () => {
      const picture = drawingNow();
      return picture && svgOf(picture);
    };
    props.files.png = async () => {
      const picture = drawingNow();
      return picture && pngOf(picture);
    };
  }

  useEffect(() => {
    // The performance mark is set only once, because the browser stores every mark until the page is closed.
    if (layout && performance.getEntriesByName("chart:first").length === 0) performance.mark("chart:first");
  }, [layout !== null]);

  const caught = useRef<{ fob: number; moved: boolean } | null>(null);
  const pixelAt = (event: PointerEvent): number => {
    const left = ref.current?.getBoundingClientRect().left ?? 0;
    return Math.min(layout!.box.r, Math.max(layout!.box.l, event.clientX - left));
  };
  const xAt = (event: PointerEvent): number => layout!.x.invert(pixelAt(event));
  const fobAt = (pixel: number): number =>
    (props.fobs ?? []).findIndex(({ x }) => Math.abs(layout!.x(x) - pixel) <= CATCH);
  const leave = (): void => {
    if (drag) return;
    props.cursor.value = null;
    props.onPoint?.(null);
  };
  const onMove = (event: PointerEvent): void => {
    if (!layout) return;
    if (pan) {
      const {
        began: { x, box },
        at,
      } = pan;
      const by = event.clientX - at;
      if (Math.abs(by) > CATCH || pan.range !== x.domain)
        setPan({ ...pan, range: [x.invert(box.l - by), x.invert(box.r - by)] });
      return;
    }
    const x = xAt(event);
    props.cursor.value = x;
    if (caught.current) {
      caught.current.moved = true;
      props.onMoveFob?.(caught.current.fob, x);
    } else if (drag) setDrag({ from: drag.from, to: x });
    const top = ref.current?.getBoundingClientRect().top ?? 0;
    props.onPoint?.({
      x,
      distance: (value) => Math.abs(layout.y(value) - (event.clientY - top)),
      clientX: event.clientX,
      clientY: event.clientY,
    });
  };
  const onDown = (event: PointerEvent): void => {
    if (!layout || event.button !== 0) return;
    ref.current?.setPointerCapture(event.pointerId);
    const fob = fobAt(pixelAt(event));
    if (fob >= 0) caught.current = { fob, moved: false };
    else if (event.shiftKey) {
      props.cursor.value = null;
      props.onPoint?.(null);
      setPan({
        at: event.clientX,
        began: layout,
        range: layout.x.domain,
        picture: canvas.current && takeLong(props.lines) ? pictureOf(canvas.current, layout) : null,
      });
    } else setDrag({ from: xAt(event), to: xAt(event) });
  };
  const onUp = (event: PointerEvent): void => {
    if (!layout) return;
    const held = caught.current;
    caught.current = null;
    setDrag(null);
    setPan(null);
    if (pan) return pan.range === pan.began.x.domain ? props.onMark?.(xAt(event), true, null) : props.onZoom(pan.range);
    if (held) return held.moved ? undefined : props.onMark?.(xAt(event), event.shiftKey, held.fob);
    if (!drag) return;
    if (Math.abs(layout.x(drag.to) - layout.x(drag.from)) > CATCH)
      props.onZoom([Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)]);
    else props.onMark?.(drag.to, false, null);
  };
  return (
    <div
      class="plot"
      ref={ref}
      role="img"
      aria-label={props.summary}
      onPointerMove={onMove}
      onPointerDown={onDown}
      onPointerUp={onUp}
      onPointerLeave={leave}
      onPointerCancel={() => {
        setPan(null);
        setDrag(null);
        caught.current = null;
      }}
      onDblClick={() => props.onZoom(null)}
    >
      <canvas ref={canvas} aria-hidden="true" />
      <canvas class="overlay" ref={overlay} aria-hidden="true" />
      {layout && props.fobs && props.fobs.length > 0 && (
        <Fobs fobs={props.fobs} layout={layout} width={width} height={height} />
      )}
      {layout && drag && (
        <svg class="chart overlay" width={width} height={height} aria-hidden="true">
          <rect
            class="brush"
            x={Math.min(layout.x(drag.from), layout.x(drag.to))}
            y={layout.box.t}
            width={Math.abs(layout.x(drag.to) - layout.x(drag.from))}
            height={layout.box.b - layout.box.t}
          />
        </svg>
      )}
    </div>
  );
}
