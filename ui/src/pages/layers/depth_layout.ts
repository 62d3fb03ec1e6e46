// The layout of the chart of errors by depth. A stem hangs from the SQNR of an undamaged layer (40 dB for 8 bits):
// undamaged layers have almost no stem, damaged ones a long stem. Pure functions.
import { byNumber } from "../../base/text/natural";
import { linearScale, type Scale } from "../../base/math/scale";
import type { Layer } from "../../domain/layers/layers";

type Point = readonly [x: number, y: number];

export interface DepthLayout {
  readonly box: { l: number; r: number; t: number; b: number };
  readonly x: (index: number) => number;
  readonly y: Scale;
  readonly ticks: readonly number[];
  /** The SQNR at the upper edge of the chart, in dB. */
  readonly top: number;
  /** The line of accumulated errors, from left to right. */
  readonly carried: readonly Point[];
  /** The worst layer of every pixel column that has layers, from left to right. */
  readonly stems: readonly { readonly x: number; readonly y: number; readonly layer: Layer }[];
  /** The layer for a pointer at x position `pixel`: the worst layer of the column, or the nearest layer. */
  readonly layerAt: (pixel: number) => Layer | null;
  /** The red limit as a line. It may differ from layer to layer, because it depends on the bit width and the metric. */
  readonly rule: readonly Point[];
  readonly groups: readonly { name: string; from: number; to: number; named: boolean }[];
}

const LOST_DB = -20;

export function layoutDepth(layers: readonly Layer[], width: number, height: number, top = 40): DepthLayout | null {
  const box = { l: 36, r: width - 24, t: 14, b: height - 20 };
  if (layers.length === 0 || box.r - box.l < 60) return null;
  const finite = layers.flatMap((layer) => [layer.sqnr, layer.carried ?? Infinity]).filter(Number.isFinite);
  // Below 0 dB the signal is lost. The axis ends at LOST_DB or above, because lower values would compress all others;
  // the exact value is written as text.
  const least = Math.max(
    LOST_DB,
    finite.reduce((lowest, db) => Math.min(lowest, db), 8),
  );
  const y = linearScale(Math.floor(least / 10) * 10 - 2, top, box.b, box.t);
  const xScale = linearScale(-0.5, layers.length - 0.5, box.l, box.r);
  const ticks: number[] = [];
  const step = y.domain[0] < -10 ? 20 : 10;
  for (let db = Math.floor(top / step) * step; db >= y.domain[0]; db -= step) ticks.push(db);
  const carried = layers.flatMap((layer, i): Point[] =>
    layer.carried === null || Number.isNaN(layer.carried)
      ? []
      : [[xScale(i), y(clampDb(layer.carried, top, y.domain[0]))]],
  );
  const stems = stemsOf(layers, xScale, y, top);
  const layerAt = (pixel: number): Layer | null => {
    const crowded = layers.length > box.r - box.l;
    if (!crowded) return layers[Math.max(0, Math.min(layers.length - 1, Math.round(xScale.invert(pixel))))] ?? null;
    return (
      stems.reduce<(typeof stems)[number] | null>(
        (best, stem) => (best && Math.abs(best.x - pixel) <= Math.abs(stem.x - pixel) ? best : stem),
        null,
      )?.layer ?? null
    );
  };
  const measured = layers.flatMap((layer, i) => (Number.isNaN(layer.sqnr) ? [] : [{ i, red: layer.limits.red_db }]));
  const rule = measured.flatMap(({ i, red }): Point[] => {
    const at = y(clampDb(red, top, y.domain[0]));
    return [
      [xScale(i - 0.5), at],
      [xScale(i + 0.5), at],
    ];
  });
  return { box, x: xScale, y, ticks, top, carried, stems, layerAt, rule, groups: groupsOf(layers, xScale) };
}

function stemsOf(
  layers: readonly Layer[],
  x: (i: number) => number,
  y: Scale,
  top: number,
): { x: number; y: number; layer: Layer }[] {
  const stems: { x: number; y: number; layer: Layer }[] = [];
  layers.forEach((layer, i) => {
    if (Number.isNaN(layer.sqnr)) return; // A layer that was not measured has no stem.
    const stem = { x: Math.round(x(i)) + 0.5, y: Number(y(clampDb(layer.sqnr, top, y.domain[0])).toFixed(1)), layer };
    const last = stems.at(-1);
    if (last?.x !== stem.x) stems.push(stem);
    else if (stem.y > last.y) stems[stems.length - 1] = stem; // Lower on the chart is worse.
  });
  return stems;
}

/** Whether no layer below its limit fails, because the outputs of the model are sound. */
export const areSpared = (layers: readonly Layer[]): boolean =>
  layers.some((layer) => layer.sqnr < layer.limits.red_db) && layers.every((layer) => layer.level !== "bad");

/** The SQNR limited to the range of the axis; a lost layer is at the lower edge. */
export function clampDb(db: number, top: number, bottom: number): number {
  return Number.isNaN(db) ? top : Math.max(bottom, Math.min(top, db));
}

const MAX_GROUPS = 40;

function groupsOf(layers: readonly Layer[], x: (i: number) => number): DepthLayout["groups"] {
  const groups: { name: string; from: number; to: number }[] = [];
  layers.forEach((layer, i) => {
    const name = layer.name.split(/[./]/)[0] ?? "";
    const last = groups.at(-1);
    if (last?.name === name) last.to = i;
    else groups.push({ name, from: i, to: i });
  });
  if (groups.length > MAX_GROUPS) return []; // Names without folders: every layer would be a group.
  return groups.map((group) => {
    const [from, to] = [x(group.from - 0.5), x(group.to + 0.5)];
    return { name: group.name, from, to, named: to - from > group.name.length * 6 + 8 };
  });
}

/** The layers in the order in which they were logged; tensors of one layer are sorted by name. */
export function byDepth(layers: readonly Layer[]): Layer[] {
  return [...layers].sort((a, b) => a.depth - b.depth || byNumber(a.name, b.name));
}

const LETTER = 6.5; // The approximate width of a character, in pixels.
const ABOVE = 9; // The height of letters above the base line; BELOW is the depth below it.
const BELOW = 3;

export interface DepthLabel {
  readonly x: number;
  readonly y: number;
  readonly anchor: "start" | "end";
  readonly from: number;
  readonly to: number;
}

/** Whether the line crosses the rectangle. */
function crosses(line: readonly Point[], from: number, to: number, top: number, bottom: number): boolean {
  return line.some(([x1, y1], i) => {
    const [x0, y0] = line[i - 1] ?? [x1, y1];
    if (x1 < from || x0 > to) return false;
    const at = (x: number): number =>
      x1 === x0 ? y1 : y0 + ((y1 - y0) * (Math.max(x0, Math.min(x1, x)) - x0)) / (x1 - x0);
    return Math.max(at(from), at(to)) >= top && Math.min(at(from), at(to)) <= bottom;
  });
}

/**
 * The position of the name of the layer at `index`: beside its dot, inside the chart, and if possible not on the line
 * of accumulated errors.
 */
export function labelOf({ box, x, y, top, carried }: DepthLayout, index: number, db: number, text: string): DepthLabel {
  const [px, py, width] = [x(index), y(clampDb(db, top, y.domain[0])), text.length * LETTER];
  const places = [4, 16, -8]
    .flatMap((down) =>
      (["start", "end"] as const).map((anchor): DepthLabel => {
        const from = anchor === "start" ? px + 9 : px - 9 - width;
        return { x: anchor === "start" ? px + 9 : px - 9, y: py + down, anchor, from, to: from + width };
      }),
    )
    .filter((place) => place.y - ABOVE >= box.t - 2 && place.y + BELOW <= box.b + 4);
  const inside = places.filter(({ from, to }) => from >= box.l && to <= box.r + 20);
  const free = inside.find((place) => !crosses(carried, place.from, place.to, place.y - ABOVE, place.y + BELOW));
  // On a narrow screen, neither side may have enough space: then the text ends at the right edge, below the dot.
  const end = box.r + 20;
  return free ?? inside[0] ?? { x: end, y: Math.min(py + 16, box.b + 4), anchor: "end", from: end - width, to: end };
}
