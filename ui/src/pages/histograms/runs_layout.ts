// The layout of the histograms of several runs on one axis, in the same bars. Pure functions.
import { ceilingOf, spikesOf, type Spike } from "../../charts/histogram/ceiling";
import { significant, tickTexts } from "../../base/text/format";
import { linearScale, ticks, type Scale } from "../../base/math/scale";
import type { Together } from "./data";

export interface RunsLayout {
  readonly box: { l: number; r: number; t: number; b: number };
  readonly x: Scale;
  readonly edges: readonly number[];
  readonly paths: readonly string[];
  /** By run and bar: the share of the run's values that are in the bar, in per cent. */
  readonly shares: readonly (readonly number[])[];
  readonly spikes: readonly Spike[];
  readonly xTicks: readonly { at: number; text: string }[];
  readonly yTicks: readonly { at: number; text: string }[];
}

const LOG_FLOOR = 1e-3; // The lower end of a log axis, in per cent.

export function layoutRuns(data: Together, width: number, height: number, logY: boolean): RunsLayout | null {
  const box = { l: 44, r: width - 10, t: 20, b: height - 22 };
  const { edges } = data;
  if (edges.length < 2 || data.runs.length === 0 || box.r - box.l < 40 || box.b - box.t < 30) return null;
  const edge = (i: number): number => edges[i] ?? 0;
  const x = linearScale(edge(0), edge(edges.length - 1), box.l, box.r);
  // The number of all values, including those outside of the shown range.
  const shares = data.runs.map(({ num, counts }) => counts.map((count) => (num > 0 ? (count / num) * 100 : 0)));
  const most = (logY ? Math.max(...shares.flat()) : ceilingOf(shares)) || 1;
  const log = linearScale(Math.log10(LOG_FLOOR), Math.log10(most * 1.3), box.b, box.t);
  const linear = linearScale(0, most, box.b, box.t);
  const y = (value: number): number =>
    logY ? log(Math.log10(Math.max(value, LOG_FLOOR))) : linear(Math.min(value, most));
  const floor = box.b.toFixed(1);
  const paths = shares.map(
    (of) =>
      `${of.reduce((d, value, i) => `${d}V${y(value).toFixed(1)}H${x(edge(i + 1)).toFixed(1)}`, `M${x(edge(0)).toFixed(1)} ${floor}`)}V${floor}`,
  );
  const values = logY ? [0.001, 0.01, 0.1, 1, 10, 100].filter((t) => t <= most * 1.3) : ticks(0, most, 4);
  const xs = ticks(...x.domain, Math.max(4, Math.floor((box.r - box.l) / 90)));
  const texts = tickTexts(xs);
  return {
    box,
    x,
    edges,
    paths,
    shares,
    spikes: logY ? [] : spikesOf(shares, most, edges, x, box.t),
    xTicks: xs.map((t, i) => ({ at: x(t), text: texts[i] ?? "" })),
    yTicks: values.map((t) => ({ at: y(t), text: significant(t, 3) })),
  };
}
