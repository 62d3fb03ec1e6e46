// Draws lines and texts on the canvas from geometry alone.

/** Adds a line through [x, y, x, y, …] to the path: straight down if x is constant, an S curve if it changes. */
export function linePath(
  path: Pick<CanvasRenderingContext2D, "moveTo" | "lineTo" | "bezierCurveTo">,
  points: readonly number[],
): void {
  if (points.length < 4) return;
  path.moveTo(points[0]!, points[1]!);
  for (let i = 2; i < points.length; i += 2) {
    const [x0, y0, x1, y1] = [points[i - 2]!, points[i - 1]!, points[i]!, points[i + 1]!];
    if (x0 === x1) path.lineTo(x1, y1);
    else path.bezierCurveTo(x0, (y0 + y1) / 2, x1, (y0 + y1) / 2, x1, y1);
  }
}

/** Adds a small arrow at the end of a line, in the line's direction: down or up. */
export function tipPath(
  path: Pick<CanvasRenderingContext2D, "moveTo" | "lineTo" | "closePath">,
  points: readonly number[],
): void {
  if (points.length < 4) return;
  const [x, y] = [points.at(-2)!, points.at(-1)!];
  const up = points.at(-3)! > y ? -1 : 1;
  path.moveTo(x - 3, y - 5 * up);
  path.lineTo(x + 3, y - 5 * up);
  path.lineTo(x, y);
  path.closePath();
}

/** The operator as it is written into a box: "convolution" for PyTorch's "aten::_convolution". */
export const withoutNamespace = (operator: string): string => operator.replace(/^\w+::_?(?=\w)/, "");

const fitted = new Map<string, string>();
const MAX_FITTED = 20_000;

/** Shortens `text` at its end to the given width in the current font. */
export function fitText(
  context: Pick<CanvasRenderingContext2D, "measureText" | "font">,
  text: string,
  width: number,
): string {
  const key = `${Math.floor(width)} ${text}`;
  const known = fitted.get(key);
  if (known !== undefined) return known;
  let result = text;
  if (context.measureText(text).width > width) {
    let [low, high] = [0, text.length];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (context.measureText(`${text.slice(0, middle)}…`).width <= width) low = middle;
      else high = middle - 1;
    }
    result = low > 0 ? `${text.slice(0, low)}…` : "";
  }
  if (fitted.size > MAX_FITTED) fitted.clear();
  fitted.set(key, result);
  return result;
}

/** The smallest rectangle around a line, for the spatial index. */
export function boundsOf(points: readonly number[]): [number, number, number, number] {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; i += 2) {
    x0 = Math.min(x0, points[i]!);
    x1 = Math.max(x1, points[i]!);
    y0 = Math.min(y0, points[i + 1]!);
    y1 = Math.max(y1, points[i + 1]!);
  }
  return [x0, y0, x1, y1];
}
