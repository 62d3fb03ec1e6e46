// The space that labels of an axis take, in the 11 px font of charts.

const LETTER = 6; // The approximate width of a character in pixels.

export const labelWidth = (text: string): number => text.length * LETTER;

/** The space left of a y axis with these labels: `least`, or more for long labels. */
export function leftOf(labels: readonly string[], least = 48, most = 112): number {
  const longest = labels.reduce((width, label) => Math.max(width, labelWidth(label)), 0);
  return Math.min(most, Math.max(least, longest + 12));
}

const EDGE = 2; // labelWidth() is approximate.

/**
 * The position and alignment of an axis label: centered at `at`, or aligned to an edge of the chart ("start", "end") if it
 * would leave the chart.
 */
export function placeOf(at: number, label: string, width: number): { x: number; anchor: "start" | "middle" | "end" } {
  if (at - labelWidth(label) / 2 < EDGE) return { x: 0, anchor: "start" };
  return at + labelWidth(label) / 2 > width ? { x: width, anchor: "end" } : { x: at, anchor: "middle" };
}
