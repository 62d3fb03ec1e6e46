// The camera of a graph: the part of the drawing that is visible. Pure functions.
import type { Rectangle } from "./grid";

/** The camera of a pane: the point of the drawing at the pane's upper left corner, and the pixels per unit. */
export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly k: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

const MOST = 3;
const MIN_READABLE = 0.9; // Names are too small to read below this zoom.
const MARGIN = 24;
const TOP = 40; // Space for the titles of the panes.
const BOTTOM = 60; // Space for the buttons.

export function leastZoom(picture: Size, pane: Size): number {
  return Math.min(0.2, 0.7 * Math.min(pane.width / (picture.width + 1), pane.height / (picture.height + 1)));
}

/** The camera that shows the whole drawing in the middle of the pane. */
export function fitAll(picture: Size, pane: Size): Camera {
  const k = Math.min(
    1,
    (pane.width - 2 * MARGIN) / Math.max(1, picture.width),
    (pane.height - TOP - BOTTOM) / Math.max(1, picture.height),
  );
  return { k, x: picture.width / 2 - pane.width / 2 / k, y: picture.height / 2 - pane.height / 2 / k };
}

/**
 * The camera of a graph that was just opened. It shows the whole drawing if names can be read at that size, otherwise the
 * top of the drawing, centered at the horizontal position `x`.
 */
export function start(picture: Size, pane: Size, x: number): Camera {
  const all = fitAll(picture, pane);
  if (all.k >= MIN_READABLE) return { ...all, y: -TOP / all.k };
  const k = Math.max(MIN_READABLE, Math.min(1, (pane.width - 2 * MARGIN) / picture.width));
  const wide = picture.width * k > pane.width - MARGIN;
  return { k, x: (wide ? x : picture.width / 2) - pane.width / 2 / k, y: -TOP / k };
}

/** Zooms by `factor` around a point of the pane, in pixels. */
export function zoomed(camera: Camera, factor: number, at: { x: number; y: number }, least: number): Camera {
  const k = Math.max(least, Math.min(MOST, camera.k * factor));
  return { k, x: camera.x + at.x / camera.k - at.x / k, y: camera.y + at.y / camera.k - at.y / k };
}

export function panned(camera: Camera, dx: number, dy: number): Camera {
  return { ...camera, x: camera.x - dx / camera.k, y: camera.y - dy / camera.k };
}

/** Moves the camera back if no part of the drawing would be visible. */
export function kept(camera: Camera, picture: Size, pane: Size): Camera {
  const [w, h] = [pane.width / camera.k, pane.height / camera.k];
  const keep = (at: number, seen: number, size: number): number =>
    Math.max(-0.85 * seen, Math.min(size - 0.15 * seen, at));
  return { ...camera, x: keep(camera.x, w, picture.width), y: keep(camera.y, h, picture.height) };
}

/**
 * The camera that shows a box: unchanged if the box is visible, otherwise with the box in the upper middle of the pane.
 */
export function revealing(camera: Camera, box: Rectangle, pane: Size): Camera {
  const k = camera.k < MIN_READABLE ? 1 : camera.k;
  const [w, h] = [pane.width / k, pane.height / k];
  const base = k === camera.k ? camera : { x: -Infinity, y: -Infinity };
  const move = (at: number, seen: number, from: number, to: number, share: number): number => {
    if (from >= at + 12 && to <= at + seen - 12) return at;
    return to - from > seen ? from - 12 : from - (seen - (to - from)) * share;
  };
  return { k, x: move(base.x, w, box.x0, box.x1, 0.5), y: move(base.y, h, box.y0, box.y1, 0.36) };
}

/** Moves the camera up if the lower part of the pane would be empty. */
export function withoutVoid(camera: Camera, picture: Size, pane: Size): Camera {
  const lowest = picture.height + MARGIN / camera.k - pane.height / camera.k;
  return { ...camera, y: Math.min(camera.y, Math.max(-TOP / camera.k, lowest)) };
}

export function seen(camera: Camera, pane: Size): Rectangle {
  return { x0: camera.x, y0: camera.y, x1: camera.x + pane.width / camera.k, y1: camera.y + pane.height / camera.k };
}

/** The camera as text for the address: "120,-24,0.8". */
export function cameraText(camera: Camera): string {
  return [Math.round(camera.x), Math.round(camera.y), Number(camera.k.toPrecision(3))].join(",");
}

export function readCamera(text: string | null): Camera | null {
  const [x, y, k] = (text ?? "").split(",").map(Number);
  if (x === undefined || y === undefined || k === undefined) return null;
  return Number.isFinite(x) && Number.isFinite(y) && k > 0 && k <= MOST ? { x, y, k } : null;
}

const MINIMAP: Size = { width: 132, height: 168 };
const MINIMAP_LEAST = 28;

export function minimapSize(picture: Size): Size & { scale: number } {
  const scale = Math.min(MINIMAP.width / Math.max(1, picture.width), MINIMAP.height / Math.max(1, picture.height));
  return {
    scale,
    width: Math.max(MINIMAP_LEAST, Math.round(picture.width * scale)),
    height: Math.max(MINIMAP_LEAST, Math.round(picture.height * scale)),
  };
}

/** Whether the whole drawing is visible, so that a minimap is not needed. */
export function seesAll(camera: Camera, picture: Size, pane: Size): boolean {
  const area = seen(camera, pane);
  return area.x0 <= 0 && area.y0 <= 0 && area.x1 >= picture.width && area.y1 >= picture.height;
}
