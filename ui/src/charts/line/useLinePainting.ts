// Paints the lines of a chart and, on an overlay, the cursor.
import { sizeCanvas } from "../../base/dom/canvas";
import { resolveColour } from "../../base/dom/css_colour";
import { effect, type Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { lookOf } from "../../domain/runs/run_look";
import { paintVersion } from "../../base/theme";
import { paintInTurn, paintNoMore } from "../drawing/paint_queue";
import type { Line, LineChartLayout } from "./layout";
import { paintLines, type Ink, type LineLook } from "./paint";
import { paintCursor, type Stretch } from "./paint_cursor";
import { paintMany } from "./paint_many";
import { paintStretched, pictureOf, takeLong, type Picture } from "./stretch";

export function inkOf(element: Element): Ink {
  const style = getComputedStyle(element);
  return {
    grid: resolveColour(element, "--grid"),
    axis: resolveColour(element, "--line-strong"),
    text: resolveColour(element, "--ink-3"),
    paper: resolveColour(element, "--paper"),
    font: `11px ${style.fontFamily}`,
  };
}

export function looksOf(element: Element, lines: readonly Line[]): LineLook[] {
  return lines.map((line) => {
    const look = line.look ?? lookOf(line.name);
    return { colour: resolveColour(element, `--run-${look.colour}`), dash: look.dash };
  });
}

/** The current content of the canvas: the lines, or a stretched earlier picture of them. */
interface Shown {
  readonly layout: LineChartLayout;
  readonly lines: readonly Line[];
  readonly theme: number;
  readonly stretched: boolean;
}

// The maximum time that a stretched picture waits for new lines. After this time, the existing lines are drawn.
const PATIENCE_MILLISECONDS = 150;

/** The canvases to paint on; colours are read from the style of `root`. */
export interface LineCanvases {
  readonly root: RefObject<HTMLElement | null>;
  readonly canvas: RefObject<HTMLCanvasElement | null>;
  readonly overlay: RefObject<HTMLCanvasElement | null>;
  readonly width: number;
  readonly height: number;
}

/**
 * Paints the lines. If there is a `picture`, it is first shown stretched in place of the lines. `changing` is true if
 * other lines will arrive soon.
 */
export function useLinePainting(
  lines: readonly Line[],
  layout: LineChartLayout | null,
  cursorOf: Signal<number | null>,
  { root, canvas, overlay, width, height }: LineCanvases,
  { picture, changing }: { readonly picture: Picture | null; readonly changing: boolean },
): void {
  const shown = useRef<Shown | null>(null);
  const painted = paintVersion.value;

  useLayoutEffect(() => {
    const [element, box] = [canvas.current, root.current];
    if (!element || !box) return;
    const before = shown.current;
    const same = before !== null && before.lines === lines && before.theme === painted;
    if (same && before.layout === layout && !before.stretched) return;
    const show = (
      stretched: boolean,
      draw: (context: CanvasRenderingContext2D, on: LineChartLayout, ratio: number) => void,
    ): void => {
      const context = layout && sizeCanvas(element, width, height);
      if (!context || !layout) {
        element.width = 0; // Clears the canvas.
        shown.current = null;
        return;
      }
      draw(context, layout, element.width / width);
      shown.current = { layout, lines, theme: painted, stretched };
    };
    const paint = (): void =>
      show(false, (context, on, ratio) => {
        const looks = looksOf(box, lines);
        paintLines(context, on, lines, looks, inkOf(box), () => paintMany(context, on, lines, looks, ratio));
      });
    const stretch = (old: Picture): void =>
      show(true, (context, on, ratio) => paintStretched(context, old, on, inkOf(box), ratio));

    if (picture) return paintInTurn(canvas, () => stretch(picture));
    // Lines that take longer than a frame are first shown as a stretched older picture. They are drawn in the next
    // frame, unless other lines will arrive soon and replace them.
    const quick = same && layout !== null && takeLong(lines);
    if (quick && before.layout !== layout) {
      const old = pictureOf(element, before.layout);
      if (old) paintInTurn(canvas, () => stretch(old));
    }
    if (!quick || !changing) return paintInTurn(canvas, paint);
    if (before.layout === layout) paintNoMore(canvas);
    const later = setTimeout(() => paintInTurn(canvas, paint), PATIENCE_MILLISECONDS);
    return () => clearTimeout(later);
  }, [layout, painted, changing]);
  useEffect(() => () => paintNoMore(canvas), []);
  // Pointer moves repaint only the overlay, without rendering the component. The overlay is created at the first
  // pointer move.
  useEffect(() => {
    const [box, element] = [overlay.current, root.current];
    if (!box || !element || !layout) return;
    let tools: { pen: CanvasRenderingContext2D; looks: LineLook[]; ink: Ink } | null = null;
    let stretch: Stretch | null = null;
    return effect(() => {
      const cursor = cursorOf.value;
      if (cursor === null && !tools) return;
      const pen = tools?.pen ?? sizeCanvas(box, width, height);
      if (!pen) return;
      tools ??= { pen, looks: looksOf(element, lines), ink: inkOf(element) };
      stretch = paintCursor(pen, layout, lines, tools.looks, tools.ink, cursor, stretch);
    });
  }, [layout, painted, cursorOf]);
}
