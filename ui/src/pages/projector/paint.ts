// Paints 3D points: as dots with the colour and shape of their label, or as images.
import { farFirst, placed, type Camera, type Placed } from "../../base/math/space";
import type { Colouring, Shape } from "./labels";
import { placeInSprite, type SpriteSize } from "./sprite";

export interface Inks {
  readonly ink: string;
  readonly dim: string;
  readonly paper: string;
  readonly line: string;
  readonly runs: readonly string[]; // The colour at index 0 is for rows without a colour.
  readonly heats: readonly string[];
  readonly font: string;
}

export interface Sprite {
  readonly image: HTMLImageElement;
  readonly size: SpriteSize;
}

export interface Scene {
  readonly points: Float32Array; // Centred coordinates.
  readonly camera: Camera;
  readonly colouring: Colouring | null;
  /** The highlighted rows; all other rows are faint. If the set is empty, no row is faint. */
  readonly marked: ReadonlySet<number>;
  readonly chosen: number; // The index of the selected row; -1: none.
  readonly sprite: Sprite | null;
  readonly nameOf: (row: number) => string;
  /** The names at the ends of the three axes. */
  readonly axes: readonly string[];
}

const MAX_NAMES = 20;
const FULL_TURN = 2 * Math.PI;

export function inkOf(scene: Scene, inks: Inks, row: number): string {
  const { colouring } = scene;
  if (colouring?.kind === "values") return inks.runs[colouring.looks[row]?.colour ?? 0] ?? inks.dim;
  const share = colouring?.shares[row] ?? NaN;
  // Leaves out the lightest colour of the ramp, because it is hard to see on the background.
  return Number.isNaN(share)
    ? (inks.runs[0] ?? inks.dim)
    : (inks.heats[1 + Math.min(inks.heats.length - 2, Math.floor(share * (inks.heats.length - 1)))] ?? inks.dim);
}

function mark(context: CanvasRenderingContext2D, shape: Shape, x: number, y: number, r: number): void {
  context.beginPath();
  if (shape === "square") context.rect(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8);
  else if (shape === "triangle") {
    context.moveTo(x, y - r * 1.25);
    context.lineTo(x + r * 1.15, y + r * 0.85);
    context.lineTo(x - r * 1.15, y + r * 0.85);
    context.closePath();
  } else context.arc(x, y, r, 0, FULL_TURN);
  context.fill();
}

function paintAxes(context: CanvasRenderingContext2D, scene: Scene, inks: Inks, width: number, height: number): void {
  const { xs, ys } = placed(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]), scene.camera, width, height);
  context.lineWidth = 1;
  context.strokeStyle = inks.line;
  context.fillStyle = inks.dim;
  scene.axes.forEach((name, i) => {
    context.beginPath();
    context.moveTo(xs[0]!, ys[0]!);
    context.lineTo(xs[i + 1]!, ys[i + 1]!);
    context.stroke();
    if (Math.hypot(xs[i + 1]! - xs[0]!, ys[i + 1]! - ys[0]!) > 40)
      context.fillText(
        name,
        Math.min(xs[i + 1]! + 4, width - context.measureText(name).width - 4),
        Math.max(12, ys[i + 1]! - 4),
      );
  });
}

/**
 * The line style of an image's frame. It distinguishes labels that have the same colour; for dots, the shape does this.
 */
const DASHES: Record<Shape, number[]> = { disc: [], square: [4, 3], triangle: [1.5, 2] };

function sideOf(points: number): number {
  return points > 5000 ? 8 : points > 1000 ? 12 : points > 600 ? 16 : 20;
}

function paintPicture(
  context: CanvasRenderingContext2D,
  { image, size }: Sprite,
  row: number,
  x: number,
  y: number,
  side: number,
  frame: string,
  shape: Shape,
): void {
  const [sx, sy] = placeInSprite(size, row);
  const scale = side / Math.max(size.width, size.height);
  const [w, h] = [size.width * scale, size.height * scale];
  context.drawImage(image, sx, sy, size.width, size.height, x - w / 2, y - h / 2, w, h);
  context.strokeStyle = frame; // The frame has the colour of the row's label.
  context.lineWidth = 2;
  context.setLineDash(DASHES[shape]); // Frames use dashes instead of shapes.
  context.strokeRect(x - w / 2 - 1, y - h / 2 - 1, w + 2, h + 2);
  context.setLineDash([]);
}

export function paintScene(
  context: CanvasRenderingContext2D,
  scene: Scene,
  inks: Inks,
  width: number,
  height: number,
): void {
  context.clearRect(0, 0, width, height);
  context.font = inks.font;
  paintAxes(context, scene, inks, width, height);
  const { xs, ys, depths } = placed(scene.points, scene.camera, width, height);
  const [count, some] = [depths.length, scene.marked.size > 0];
  const [dot, side] = [
    count > 5000 ? 1.5 : 3,
    sideOf(count) *
      Math.min(3, Math.sqrt(scene.camera.zoom)) *
      Math.min(1, Math.max(0.6, Math.min(width, height) / 600)),
  ];
  context.imageSmoothingEnabled = side < (scene.sprite?.size.width ?? 0); // Enlarged images have sharp pixels.
  const point = (i: number, strong: boolean): void => {
    const ink = inkOf(scene, inks, i);
    context.globalAlpha = some && !strong ? 0.15 : 0.6 + 0.4 * ((depths[i]! + 1) / 2);
    const shape = scene.colouring?.kind === "values" ? (scene.colouring.looks[i]?.shape ?? "disc") : "disc";
    if (scene.sprite)
      return paintPicture(context, scene.sprite, i, xs[i]!, ys[i]!, i === scene.chosen ? side * 1.5 : side, ink, shape);
    context.fillStyle = ink;
    mark(context, shape, xs[i]!, ys[i]!, i === scene.chosen ? 6 : strong ? 4.5 : dot);
  };
  const order = farFirst(depths);
  for (const i of order) if (!scene.marked.has(i) && i !== scene.chosen) point(i, false);
  // The selected point is always visible.
  for (const i of order) if (scene.marked.has(i) || i === scene.chosen) point(i, true);
  context.globalAlpha = 1;
  paintNames(context, scene, inks, { xs, ys, depths }, scene.sprite ? side / 2 : 4);
}

interface Box {
  readonly l: number;
  readonly r: number;
  readonly t: number;
  readonly b: number;
}

/** Chooses the names that fit beside their points without overlaps; earlier names have priority. */
export function withRoom(
  names: readonly { readonly x: number; readonly y: number; readonly width: number }[],
  tall = 13,
): boolean[] {
  const taken: Box[] = [];
  return names.map(({ x, y, width }) => {
    const box = { l: x, r: x + width, t: y - tall, b: y };
    if (taken.some((other) => box.l < other.r && other.l < box.r && box.t < other.b && other.t < box.b)) return false;
    taken.push(box);
    return true;
  });
}

function paintNames(
  context: CanvasRenderingContext2D,
  scene: Scene,
  inks: Inks,
  { xs, ys, depths }: Placed,
  beside: number,
): void {
  const named = [...scene.marked].slice(0, MAX_NAMES);
  if (scene.chosen >= 0 && !Number.isNaN(depths[scene.chosen])) {
    context.strokeStyle = inks.ink;
    context.lineWidth = 1.5;
    context.beginPath();
    context.arc(xs[scene.chosen]!, ys[scene.chosen]!, beside * 2 + 3, 0, FULL_TURN);
    context.stroke();
    named.unshift(scene.chosen);
  }
  const places = named.map((i) => {
    const name = scene.nameOf(i);
    return {
      name,
      x: xs[i]! + beside * (i === scene.chosen ? 2 : 1) + 6,
      y: ys[i]! + 4,
      width: context.measureText(name).width,
    };
  });
  const room = withRoom(places);
  context.lineWidth = 3;
  context.lineJoin = "round";
  places.forEach(({ name, x, y }, i) => {
    if (!room[i]) return;
    context.strokeStyle = inks.paper;
    context.strokeText(name, x, y);
    context.fillStyle = inks.ink;
    context.fillText(name, x, y);
  });
}

/** The index of the point nearest to a position, within `reach` pixels; -1: none. */
export function pointAt(
  points: Float32Array,
  camera: Camera,
  width: number,
  height: number,
  x: number,
  y: number,
  reach: number,
): number {
  const { xs, ys } = placed(points, camera, width, height);
  let [found, least] = [-1, reach];
  for (let i = 0; i < xs.length; i += 1) {
    const far = Math.hypot(xs[i]! - x, ys[i]! - y);
    if (far < least) [found, least] = [i, far];
  }
  return found;
}
