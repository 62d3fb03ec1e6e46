// The display settings of scalar charts, and how the URL of the page stores them.
import { listOf, listText } from "../../base/text/lists";
import type { Axis } from "./lines";

export const AXES: readonly { value: Axis; text: string }[] = [
  { value: "step", text: "Step" },
  { value: "relative", text: "Relative" },
  { value: "wall", text: "Wall" },
];

export const TIP_ORDERS = [
  { value: "nearest", text: "Nearest first" },
  { value: "highest", text: "Highest first" },
  { value: "lowest", text: "Lowest first" },
  { value: "name", text: "By name" },
] as const;
export type TipOrder = (typeof TIP_ORDERS)[number]["value"];

export const TIP_ROWS: readonly number[] = [3, 6, 12, 24];
const USUAL_TIP_ROWS = 6;

export interface CardView {
  readonly axis: Axis;
  readonly smoothing: number;
  readonly logX: boolean;
  readonly logY: boolean;
  readonly fromZero: boolean;
  readonly clip: boolean;
  readonly zoom: readonly [number, number] | null;
  /** The fobs (marked places) on the x axis of all cards: none, one, or both ends of a range. */
  readonly fobs: readonly number[];
  readonly table: boolean;
  /** The order and the max number of the lines in the tooltip. */
  readonly tipOrder: TipOrder;
  readonly tipRows: number;
}

function numbersOf(text: string | null): number[] {
  return text === null || text === "" ? [] : text.split("~").map(Number).filter(Number.isFinite);
}

export function viewOf(params: URLSearchParams): CardView {
  const zoom = numbersOf(params.get("xlim"));
  const smoothing = Number(params.get("smooth") ?? "0.6");
  return {
    axis: AXES.find((axis) => axis.value === params.get("xaxis"))?.value ?? "step",
    smoothing: Number.isFinite(smoothing) ? Math.min(0.999, Math.max(0, smoothing)) : 0.6,
    logX: params.has("xlog"),
    logY: params.has("ylog"),
    fromZero: params.has("y0"),
    clip: params.get("clip") !== "0",
    zoom: zoom.length === 2 ? [zoom[0]!, zoom[1]!] : null,
    fobs: numbersOf(params.get("step")).slice(0, 2),
    table: params.has("table"),
    tipOrder: TIP_ORDERS.find((order) => order.value === params.get("tip"))?.value ?? "nearest",
    tipRows: TIP_ROWS.find((rows) => String(rows) === params.get("tips")) ?? USUAL_TIP_ROWS,
  };
}

export const fobsText = (fobs: readonly number[]): string | null =>
  fobs.length > 0 ? [...fobs].sort((p, q) => p - q).join("~") : null;

/** The charts that combine several tags: a list of lists of tags. */
export const readMixes = (text: string | null): string[][] =>
  listOf(text)
    .map(listOf)
    .filter((tags) => tags.length > 1);
export const mixesText = (mixes: readonly (readonly string[])[]): string | null =>
  mixes.length > 0 ? listText(mixes.map((tags) => listText(tags))) : null;

/**
 * The combined charts after `tag` was added to the chart of `onto`. If that chart had a single tag, it becomes a new
 * combined chart.
 */
export function mixed(mixes: readonly (readonly string[])[], tag: string, onto: readonly string[]): string[][] {
  const next = [...new Set([...onto, tag])];
  if (next.length < 2) return mixes.map((tags) => [...tags]);
  const same = listText(onto);
  return onto.length > 1
    ? mixes.map((tags) => (listText(tags) === same ? next : [...tags]))
    : [...mixes.map((tags) => [...tags]), next];
}

const MAX_PARTNERS = 40;

/**
 * Tags to suggest for a combined chart: first tags with the same last part, then tags of the same group, then all other
 * tags.
 */
export function partnersOf(tag: string, all: readonly string[]): string[] {
  const last = (name: string): string => name.slice(name.lastIndexOf("/") + 1);
  const group = (name: string): string => name.slice(0, Math.max(0, name.indexOf("/")));
  const rank = (name: string): number => (last(name) === last(tag) ? 0 : group(name) === group(tag) ? 1 : 2);
  return all
    .filter((name) => name !== tag)
    .map((name) => ({ name, rank: rank(name) }))
    .sort((p, q) => p.rank - q.rank)
    .slice(0, MAX_PARTNERS)
    .map(({ name }) => name);
}

/** The new place of a fob that the arrow keys move by `by` points along ascending xs. */
export function movedFob(xs: ArrayLike<number>, from: number | null, by: number): number | null {
  if (xs.length === 0) return null;
  if (from === null) return xs[by > 0 ? 0 : xs.length - 1] ?? null;
  let at = 0;
  while (at < xs.length - 1 && (xs[at] ?? 0) < from) at += 1;
  // A fob between two points first moves to the next point in the direction of the key.
  const between = (xs[at] ?? 0) > from;
  const target = between && by > 0 ? at + by - 1 : at + by;
  return xs[Math.min(xs.length - 1, Math.max(0, target))] ?? null;
}
