// The same tensor of several runs on one axis, in the same bins. Pure.
import { significant, tickTexts } from "../../lib/format";
import { linearScale, ticks, type Scale } from "../../lib/scale";
import type { Together } from "./data";
import { rebinned } from "./heat_layout";

export interface RunsLayout {
  readonly box: { l: number; r: number; t: number; b: number };
  readonly x: Scale;
  /** Of the bars, which are equally wide. */
  readonly edges: readonly number[];
  readonly paths: readonly string[];
  /** By run and bin, in per cent of the run's values. */
  readonly shares: readonly (readonly number[])[];
  readonly xTicks: readonly { at: number; text: string }[];
  readonly yTicks: readonly { at: number; text: string }[];
}

const LOG_FLOOR = 1e-3; // Per cent.
const BARS = 160;

/** The same mass in bars of equal width: of bins that differ in it, wide ones would look full. */
function inBars({ edges, runs }: Together): { edges: readonly number[]; counts: readonly (readonly number[])[] } {
  const bins = edges.length - 1;
  const [lo, hi] = [edges[0] ?? 0, edges[bins] ?? 0];
  const average = (hi - lo) / bins;
  const equal = edges.every((edge, i) => Math.abs(edge - (lo + i * average)) <= 0.01 * average);
  if (equal) return { edges, counts: runs.map(({ counts }) => counts) };
  return {
    edges: Array.from({ length: BARS + 1 }, (_, i) => lo + ((hi - lo) * i) / BARS),
    counts: runs.map(({ counts }) => rebinned(edges.slice(0, -1), edges.slice(1), counts, lo, hi, BARS)),
  };
}

export function layoutRuns(data: Together, width: number, height: number, logY: boolean): RunsLayout | null {
  const box = { l: 44, r: width - 10, t: 16, b: height - 22 };
  if (data.edges.length < 2 || data.runs.length === 0 || box.r - box.l < 40 || box.b - box.t < 30) return null;
  const { edges, counts } = inBars(data);
  const edge = (i: number): number => edges[i] ?? 0;
  const x = linearScale(edge(0), edge(edges.length - 1), box.l, box.r);
  // Of all values, also those outside of the part that is shown.
  const shares = data.runs.map(({ num }, run) => (counts[run] ?? []).map((count) => (num > 0 ? (count / num) * 100 : 0)));
  const most = Math.max(...shares.flat(), 1e-9);
  const log = linearScale(Math.log10(LOG_FLOOR), Math.log10(most * 1.3), box.b, box.t);
  const linear = linearScale(0, most * 1.04, box.b, box.t);
  const y = (value: number): number => (logY ? log(Math.log10(Math.max(value, LOG_FLOOR))) : linear(value));
  const floor = box.b.toFixed(1);
  const paths = shares.map((of) => `${of.reduce((d, value, i) => `${d}V${y(value).toFixed(1)}H${x(edge(i + 1)).toFixed(1)}`, `M${x(edge(0)).toFixed(1)} ${floor}`)}V${floor}`);
  const values = logY ? [0.001, 0.01, 0.1, 1, 10, 100].filter((t) => t <= most * 1.3) : ticks(0, most, 4);
  const xs = ticks(...x.domain, Math.max(4, Math.floor((box.r - box.l) / 90)));
  const texts = tickTexts(xs);
  return {
    box, x, edges, paths, shares,
    xTicks: xs.map((t, i) => ({ at: x(t), text: texts[i] ?? "" })),
    yTicks: values.map((t) => ({ at: y(t), text: significant(t, 3) })),
  };
}
