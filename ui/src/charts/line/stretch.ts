// Shows an older picture of a chart, moved and stretched to where its curves will be, while the curves themselves are
// not drawn yet.
import type { Line, LineChartLayout } from "./layout";
import { paintAxes, type Ink } from "./paint";

export interface Picture {
  readonly image: OffscreenCanvas;
  /** The layout with which the picture was painted. */
  readonly layout: LineChartLayout;
}

// The number of points that can be drawn within one frame.
const QUICK = 150_000;

/** Whether drawing the given lines takes longer than a frame. */
export function takeLong(lines: readonly Line[]): boolean {
  return lines.reduce((sum, line) => sum + line.xs.length * (line.smooth ? 2 : 1), 0) > QUICK;
}

export function pictureOf(canvas: HTMLCanvasElement, layout: LineChartLayout): Picture | null {
  if (canvas.width === 0 || canvas.height === 0) return null;
  const image = new OffscreenCanvas(canvas.width, canvas.height);
  image.getContext("2d")?.drawImage(canvas, 0, 0);
  return { image, layout };
}

/**
 * The position of one layout's plot area inside another one; null if a picture would not fit by moving and stretching
 * alone.
 */
export function stretched(
  from: LineChartLayout,
  to: LineChartLayout,
): { l: number; r: number; t: number; b: number } | null {
  if (from.x.log !== to.x.log || from.y.log !== to.y.log) return null;
  const { box } = from;
  const place = {
    l: to.x(from.x.invert(box.l)),
    r: to.x(from.x.invert(box.r)),
    t: to.y(from.y.invert(box.t)),
    b: to.y(from.y.invert(box.b)),
  };
  return Object.values(place).every(Number.isFinite) && place.r > place.l && place.b > place.t ? place : null;
}

export function paintStretched(
  context: CanvasRenderingContext2D,
  picture: Picture,
  layout: LineChartLayout,
  ink: Ink,
  ratio: number,
): void {
  const place = stretched(picture.layout, layout);
  context.font = ink.font;
  paintAxes(context, layout, ink);
  if (!place) return;
  const { box } = layout;
  context.save();
  context.beginPath();
  context.rect(box.l, box.t - 4, box.r - box.l + 1, box.b - box.t + 4);
  context.clip();
  // If the picture is only moved and not stretched, it is as sharp as before.
  context.imageSmoothingEnabled = place.r - place.l !== box.r - box.l;
  const old = picture.layout.box;
  context.drawImage(
    picture.image,
    old.l * ratio,
    old.t * ratio,
    (old.r - old.l) * ratio,
    (old.b - old.t) * ratio,
    place.l,
    place.t,
    place.r - place.l,
    place.b - place.t,
  );
  context.restore();
}
