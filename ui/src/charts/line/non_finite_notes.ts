// Labels beside the marks of non-finite values.
import type { Pen } from "../drawing/pen";
import type { LineChartLayout } from "./layout";

export interface NonFiniteNote {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  /** The y position of the middle of a label. Labels of -infinity are at the bottom, all other labels at the top. */
  readonly y: number;
}

const BESIDE = 9; // Pixels from the middle of a mark to its label.
const ROW = 6; // Pixels from the edge of the chart to the middle of the label.

const kindOf = (value: number): string => (Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "−∞");

/**
 * One label per line, at its first visible mark, with the number of further marks. A label is left out if it would
 * overlap an earlier label; its marks stay visible.
 */
export function nonFiniteNotes(
  { nonFinite, x, box, xText }: Pick<LineChartLayout, "nonFinite" | "x" | "box" | "xText">,
  widthOf: (text: string) => number,
): NonFiniteNote[] {
  const notes: NonFiniteNote[] = [];
  for (const line of nonFinite) {
    const seen = line.filter((hole) => x(hole.x) >= box.l && x(hole.x) <= box.r);
    const [first] = seen;
    if (!first) continue;
    const more = seen.length > 1 ? `, ${seen.length - 1} more` : "";
    const text = `${kindOf(first.value)} at ${xText(first.x)}${more}`;
    const [at, width] = [x(first.x), widthOf(text)];
    const left = at + BESIDE + width <= box.r ? at + BESIDE : at - BESIDE - width;
    const y = first.value === -Infinity ? box.b - ROW : box.t + ROW;
    const note = { text, left, right: left + width, y };
    const free = notes.every(
      (other) => other.y !== y || other.right + BESIDE < note.left || other.left - BESIDE > note.right,
    );
    if (free && left >= box.l) notes.push(note);
  }
  return notes;
}

/** Paints the labels on a background strip, so that no curve crosses the text. */
export function paintNonFiniteNotes(
  pen: Pen,
  layout: LineChartLayout,
  ink: { readonly paper: string; readonly text: string },
): void {
  pen.textBaseline = "alphabetic";
  pen.textAlign = "left";
  for (const { text, left, right, y } of nonFiniteNotes(layout, (words) => pen.measureText(words).width)) {
    pen.fillStyle = ink.paper;
    pen.beginPath();
    pen.rect(left - 2, y - ROW, right - left + 4, 2 * ROW);
    pen.fill();
    pen.fillStyle = ink.text;
    pen.fillText(text, left, y + 4);
  }
}
