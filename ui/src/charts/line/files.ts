// Saves a line chart as a file: its title, the chart as it is shown, and the names of its lines.
import { SvgPen, type Pen } from "../drawing/pen";
import type { Line, LineChartLayout } from "./layout";
import { titleOf } from "../../domain/runs/run_titles";
import { paintLines, type Ink, type LineLook } from "./paint";

const LEGEND_ROW = 16;
const LEGEND_ROOM = 8;
const TITLE_ROOM = 28; // The height of the title in pixels.

/** All inputs that are needed to draw the chart a second time. */
export interface Drawing {
  readonly title: string;
  readonly layout: LineChartLayout;
  readonly lines: readonly Line[];
  readonly looks: readonly LineLook[];
  readonly ink: Ink;
  readonly width: number;
  readonly height: number;
}

const heightOf = ({ height, lines }: Drawing): number => TITLE_ROOM + height + lines.length * LEGEND_ROW + LEGEND_ROOM;

/** The chart begins at y = 0; the title is above it, at negative y. */
function paintAll(pen: Pen, { title, layout, lines, looks, ink, height }: Drawing): void {
  paintLines(pen, layout, lines, looks, ink);
  pen.textAlign = "left";
  pen.fillStyle = ink.text;
  pen.fillText(title, layout.box.l, 18 - TITLE_ROOM);
  lines.forEach((line, i) => {
    const y = height + LEGEND_ROOM + i * LEGEND_ROW;
    pen.beginPath();
    pen.strokeStyle = looks[i]?.colour ?? ink.text;
    pen.lineWidth = 1.6;
    pen.setLineDash([...(looks[i]?.dash ?? [])]);
    pen.moveTo(layout.box.l, y);
    pen.lineTo(layout.box.l + 22, y);
    pen.stroke();
    pen.fillStyle = ink.text;
    pen.fillText(titleOf(line.name), layout.box.l + 30, y + 4);
  });
}

export function svgOf(picture: Drawing): string {
  const pen = new SvgPen();
  paintAll(pen, picture);
  return pen.take(picture.width, heightOf(picture), picture.ink.paper, TITLE_ROOM);
}

const SHARPNESS = 2; // Pixels of the file per pixel of the page: files are used in papers and slides.

export function pngOf(picture: Drawing): Promise<Blob | null> {
  const canvas = document.createElement("canvas");
  canvas.width = picture.width * SHARPNESS;
  canvas.height = heightOf(picture) * SHARPNESS;
  const pen = canvas.getContext("2d");
  if (!pen) return Promise.resolve(null);
  pen.scale(SHARPNESS, SHARPNESS);
  pen.translate(0, TITLE_ROOM);
  paintAll(pen, picture);
  // The background is painted last, behind the chart, because the painter clears the canvas first.
  pen.globalCompositeOperation = "destination-over";
  pen.fillStyle = picture.ink.paper;
  pen.fillRect(0, -TITLE_ROOM, picture.width, heightOf(picture));
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}
