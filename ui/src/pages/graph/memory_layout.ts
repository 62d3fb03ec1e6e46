// The layout of the running memory: one step line per graph on one axis. Pure functions.
import type { MemoryResponse, MemorySide } from "../../api/graphs";
import { linearScale, ticks, type Scale } from "../../base/math/scale";

export interface MemoryLayout {
  readonly box: { l: number; r: number; t: number; b: number };
  readonly y: Scale;
  readonly unit: string;
  readonly ticks: readonly number[];
  readonly lines: Readonly<Record<"a" | "b", string>>;
  readonly area: string;
  /** The x position of a node of A or B, by its index in the execution order. */
  readonly x: Readonly<Record<"a" | "b", Scale>>;
}

const UNITS = [
  ["B", 1],
  ["kB", 1e3],
  ["MB", 1e6],
  ["GB", 1e9],
] as const;

function stepLine(side: MemorySide | undefined, x: Scale, y: Scale): string {
  if (!side) return "";
  let path = "";
  side.places.forEach((place, i) => {
    const end = side.places[i + 1] ?? side.operations;
    path += `${i === 0 ? `M${x(i === 0 ? 0 : place).toFixed(1)} ` : "V"}${y(side.bytes[i] ?? 0).toFixed(1)}H${x(end).toFixed(1)}`;
  });
  return path;
}

/** The lines of both graphs end at the right edge, so that equal depths of a model are at about the same x. */
export function layoutMemory(response: MemoryResponse, width: number, height: number): MemoryLayout | null {
  const box = { l: 44, r: width - 112, t: 8, b: height - 18 };
  const most = Math.max(response.a?.peak_bytes ?? 0, response.b?.peak_bytes ?? 0);
  if (most <= 0 || box.r - box.l < 80) return null;
  const [unit, size] = [...UNITS].reverse().find(([, bytes]) => most >= bytes) ?? UNITS[0];
  const y = linearScale(0, most * 1.06, box.b, box.t);
  const x = (side: MemorySide | undefined): Scale => linearScale(0, Math.max(1, side?.operations ?? 1), box.l, box.r);
  const xs = { a: x(response.a), b: x(response.b) };
  const lines = { a: stepLine(response.a, xs.a, y), b: stepLine(response.b, xs.b, y) };
  return {
    box,
    y,
    unit,
    x: xs,
    lines,
    ticks: ticks(0, (most * 1.06) / size, 3).map((t) => t * size),
    area: lines.a && `${lines.a}V${box.b}H${box.l}Z`,
  };
}

export const unitSize = (unit: string): number => UNITS.find(([name]) => name === unit)?.[1] ?? 1;

/** The index of the shown node that is nearest to an x position. */
export function operationAt(side: MemorySide, place: number): number {
  let low = 0;
  let high = side.places.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((side.places[middle] ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}
