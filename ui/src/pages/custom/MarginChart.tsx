// A value between two bounds, of every run that has all three.
import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { postForCurves } from "../../api/curves";
import type { Curve } from "../../api/series";
import { LineChart } from "../../charts/line/LineChart";
import { nearestIndex, type Line } from "../../charts/line/layout";
import { significant } from "../../lib/format";
import { RunKey } from "../../parts/RunKey";
import { useResource } from "../../state/resource";
import { linesOf, xText } from "../scalars/lines";
import type { CardView } from "../scalars/view";

export interface Margin {
  readonly value: string;
  readonly lower: string;
  readonly upper: string;
}

/** Bounds that were logged at other steps than the value are taken at the nearest one. */
function boundOf(curve: Curve, steps: ArrayLike<number>): Float64Array {
  return Float64Array.from(steps, (step) => curve.values[nearestIndex(curve.steps, step)] ?? NaN);
}

export function MarginChart({ title, margin, runs, view, cursor, onZoom }: {
  title: string;
  margin: Margin;
  runs: readonly string[];
  view: CardView;
  cursor: Signal<number | null>;
  onZoom: (range: readonly [number, number] | null) => void;
}): JSX.Element {
  const tags = [margin.value, margin.lower, margin.upper];
  const range = view.zoom ? { from: view.zoom[0], to: view.zoom[1] } : {};
  const { state, retry } = useResource(JSON.stringify([tags, runs, view.axis, view.zoom]), (signal) =>
    postForCurves({ series: runs.flatMap((run) => tags.map((tag) => [run, tag] as const)), points: 1200, axis: view.axis, ...range }, signal));
  const { data, error } = state.value;
  const lines = useMemo(() => runs.flatMap((_, i): Line[] => {
    const [value, lower, upper] = data?.series.slice(3 * i, 3 * i + 3) ?? [];
    const line = value && linesOf([value], view.axis, 0)[0];
    if (!value || !line || !lower || !upper || lower.error || upper.error) return [];
    return [{ ...line, band: { low: boundOf(lower, value.steps), high: boundOf(upper, value.steps) } }];
  }), [data]);
  if (error && !data) return <p class="trouble" role="alert">{error.message} <button class="link" onClick={retry}>Try again</button></p>;
  return (
    <>
      <LineChart lines={lines} cursor={cursor} onZoom={onZoom} summary={`${title}: ${margin.value} between ${margin.lower} and ${margin.upper}`}
        logX={view.logX} logY={view.logY} fromZero={view.fromZero} clipOutliers={view.clip} xRange={view.zoom} yRange={null} xText={xText(view.axis)} />
      <div class="values">{lines.slice(0, 8).map((line) => <span key={line.name} title={line.name}><RunKey run={line.name} />{significant(line.ys[line.ys.length - 1] ?? NaN, 5)}</span>)}</div>
    </>
  );
}
