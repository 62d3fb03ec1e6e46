// A line chart of our own: canvas for the lines, a thin overlay for the crosshair, the same
// crosshair over all charts that share a cursor.
import { effect, type Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { lookOf, resolveColour } from "../../lib/colour";
import { paintVersion } from "../../shell/theme";
import { paintInTurn, paintNoMore } from "../paint_queue";
import { useSize } from "../useSize";
import { SvgPen } from "../pen";
import { layoutLines, type Line, type LineChartLayout, type LineChartOptions } from "./layout";
import { paintLines, sizeCanvas, type Ink, type LineLook } from "./paint";
import { paintMany } from "./paint_many";
import { paintCursor, type Stretch } from "./paint_cursor";
import { paintStretched, pictureOf, takeLong, type Picture } from "./stretch";

export interface LineChartProps extends Omit<LineChartOptions, "width" | "height"> {
  readonly lines: readonly Line[];
  readonly summary: string;
  /** Where the pointer is, in x, over any chart of the group; null: over none. */
  readonly cursor: Signal<number | null>;
  /** Dragging chooses a range, dragging with shift moves the present one. */
  readonly onZoom: (range: readonly [number, number] | null) => void;
  /** Other lines are on their way: what takes long to draw need not be drawn before they come. */
  readonly changing?: boolean;
  /** Set to a function that gives the chart as SVG, with the names of its lines. */
  readonly toSvg?: { current: (() => string | null) | null };
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
    const look = lookOf(line.name);
    return { colour: resolveColour(element, `--run-${look.colour}`), dash: look.dash };
  });
}

/** What is on the canvas: the lines themselves, or a picture of them from before, stretched. */
interface Shown {
  readonly layout: LineChartLayout;
  readonly lines: readonly Line[];
  readonly theme: number;
  readonly stretched: boolean;
}

// So long a stretched picture waits for other lines; then those that are there are drawn.
const PATIENCE_MILLISECONDS = 150;

const LEGEND_ROW = 16;

function svgOf(element: Element, layout: LineChartLayout, lines: readonly Line[], width: number, height: number): string {
  const pen = new SvgPen();
  const [ink, looks] = [inkOf(element), looksOf(element, lines)];
  paintLines(pen, layout, lines, looks, ink);
  pen.textAlign = "left";
  lines.forEach((line, i) => {
    const y = height + 8 + i * LEGEND_ROW;
    pen.beginPath();
    pen.strokeStyle = looks[i]?.colour ?? ink.text;
    pen.lineWidth = 1.6;
    pen.setLineDash([...(looks[i]?.dash ?? [])]);
    pen.moveTo(layout.box.l, y);
    pen.lineTo(layout.box.l + 22, y);
    pen.stroke();
    pen.fillStyle = ink.text;
    pen.fillText(line.name, layout.box.l + 30, y + 4);
  });
  return pen.take(width, height + lines.length * LEGEND_ROW + 8, ink.paper);
}

export function LineChart(props: LineChartProps): JSX.Element {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  // While it is panned: where it began, and what is in sight now. The heights stay until it is let go, so
  // that curves move and do not breathe.
  const [pan, setPan] = useState<{ at: number; began: LineChartLayout; picture: Picture | null; range: readonly [number, number] } | null>(null);
  const shown = useRef<Shown | null>(null);
  const layout = useMemo(
    () => layoutLines(props.lines, { ...props, width, height, ...(pan ? { xRange: pan.range, yRange: pan.began.y.domain } : {}) }),
    [props.lines, width, height, props.logX, props.logY, props.clipOutliers, props.xRange, props.yRange, pan],
  );
  const painted = paintVersion.value;

  useLayoutEffect(() => {
    const [element, box] = [canvas.current, ref.current];
    if (!element || !box) return;
    const before = shown.current;
    const same = before !== null && before.lines === props.lines && before.theme === painted;
    if (same && before.layout === layout && !before.stretched) return;
    const show = (stretched: boolean, draw: (context: CanvasRenderingContext2D, on: LineChartLayout, ratio: number) => void): void => {
      const context = layout && sizeCanvas(element, width, height);
      if (!context || !layout) {
        element.width = 0; // Wipes it.
        shown.current = null;
        return;
      }
      draw(context, layout, element.width / width);
      shown.current = { layout, lines: props.lines, theme: painted, stretched };
    };
    const paint = (): void => show(false, (context, on, ratio) => {
      const looks = looksOf(box, props.lines);
      paintLines(context, on, props.lines, looks, inkOf(box), () => paintMany(context, on, props.lines, looks, ratio));
    });
    const stretch = (picture: Picture): void => show(true, (context, on, ratio) => paintStretched(context, picture, on, inkOf(box), ratio));

    const { picture } = pan ?? {};
    if (picture) return paintInTurn(canvas, () => stretch(picture));
    // What takes longer than a frame is seen stretched first. When that is on the screen it is drawn, unless
    // other lines are about to come, which would be drawn right after.
    const quick = same && layout !== null && takeLong(props.lines);
    if (quick && before.layout !== layout) {
      const old = pictureOf(element, before.layout);
      if (old) paintInTurn(canvas, () => stretch(old));
    }
    if (!quick || !props.changing) return paintInTurn(canvas, paint);
    if (before.layout === layout) paintNoMore(canvas);
    const later = setTimeout(() => paintInTurn(canvas, paint), PATIENCE_MILLISECONDS);
    return () => clearTimeout(later);
  }, [layout, painted, props.changing]);
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
  if (props.toSvg) {
    props.toSvg.current = () => (ref.current && layout ? svgOf(ref.current, layout, props.lines, width, height) : null);
  }

  useEffect(() => {
    // Once: the browser keeps every mark for as long as the page lives.
    if (layout && performance.getEntriesByName("chart:first").length === 0) performance.mark("chart:first");
  }, [layout !== null]);

  const xAt = (event: PointerEvent): number => {
    const left = ref.current?.getBoundingClientRect().left ?? 0;
    const { l, r } = layout!.box;
    return layout!.x.invert(Math.min(r, Math.max(l, event.clientX - left)));
  };
  return (
    <div class="plot" ref={ref} role="img" aria-label={props.summary}
      onPointerMove={(event) => {
        if (!layout) return;
        if (pan) {
          const { began: { x, box }, at } = pan;
          const by = event.clientX - at;
          setPan({ ...pan, range: [x.invert(box.l - by), x.invert(box.r - by)] });
          return;
        }
        props.cursor.value = xAt(event);
        if (drag) setDrag({ from: drag.from, to: xAt(event) });
      }}
      onPointerDown={(event) => {
        if (!layout || event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        if (event.shiftKey) {
          props.cursor.value = null;
          setPan({ at: event.clientX, began: layout, range: layout.x.domain, picture: canvas.current && takeLong(props.lines) ? pictureOf(canvas.current, layout) : null });
        } else setDrag({ from: xAt(event), to: xAt(event) });
      }}
      onPointerUp={() => {
        if (pan && pan.range !== pan.began.x.domain) props.onZoom(pan.range);
        setPan(null);
        if (layout && drag && Math.abs(layout.x(drag.to) - layout.x(drag.from)) > 6) {
          props.onZoom([Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)]);
        }
        setDrag(null);
      }}
      onPointerLeave={() => { if (!drag) props.cursor.value = null; }}
      onPointerCancel={() => { setPan(null); setDrag(null); }}
      onDblClick={() => props.onZoom(null)}>
      <canvas ref={canvas} aria-hidden="true" />
      <canvas class="overlay" ref={overlay} aria-hidden="true" />
      {layout && drag && (
        <svg class="chart overlay" width={width} height={height} aria-hidden="true">
          <rect class="brush" x={Math.min(layout.x(drag.from), layout.x(drag.to))} y={layout.box.t}
            width={Math.abs(layout.x(drag.to) - layout.x(drag.from))} height={layout.box.b - layout.box.t} />
        </svg>
      )}
    </div>
  );
}
