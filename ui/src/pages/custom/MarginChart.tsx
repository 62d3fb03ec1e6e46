// A chart of values between a lower and an upper bound, for every run that has value, lower bound and upper bound.
import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { postForCurves } from "../../api/curves";
import type { Curve } from "../../api/series";
import { LineChart } from "../../charts/line/LineChart";
import { nearestIndex, type Line } from "../../charts/line/layout";
import { lookOf } from "../../domain/runs/run_look";
import { steady } from "../../base/text/format";
import { timeTicks } from "../../base/math/scale";
import { shortNames } from "../../base/text/short_names";
import { RunKey } from "../../domain/runs/RunKey";
import { useResource } from "../../domain/live/resource";
import { linesOf, X_NAMES, xText } from "../../charts/scalars/lines";
import type { CardView } from "../../charts/scalars/view";

export interface Margin {
  readonly value: string;
  readonly lower: string;
  readonly upper: string;
}

/** If bounds were logged at other steps than the value, uses the bounds of the nearest step. */
function boundOf(curve: Curve, steps: ArrayLike<number>): Float64Array {
  return Float64Array.from(steps, (step) => curve.values[nearestIndex(curve.steps, step)] ?? NaN);
}

export function MarginChart({
  title,
  margins,
  runsOf,
  view,
  cursor,
  onZoom,
}: {
  title: string;
  margins: readonly Margin[];
  runsOf: (margin: Margin) => readonly string[];
  view: CardView;
  cursor: Signal<number | null>;
  onZoom: (range: readonly [number, number] | null) => void;
}): JSX.Element {
  const drawn = margins.flatMap((margin) => runsOf(margin).map((run) => ({ run, margin })));
  const range = view.zoom ? { from: view.zoom[0], to: view.zoom[1] } : {};
  const series = drawn.flatMap(({ run, margin: { value, lower, upper } }) =>
    [value, lower, upper].map((tag) => [run, tag] as const),
  );
  const { state, retry } = useResource(JSON.stringify([series, view.axis, view.zoom]), (signal) =>
    series.length > 0
      ? postForCurves({ series, points: 1200, axis: view.axis, ...range }, signal)
      : Promise.resolve(null),
  );
  const { data, error } = state.value;
  const several = margins.length > 1;
  const lines = useMemo(
    () =>
      drawn.flatMap(({ run, margin }, i): Line[] => {
        const [value, lower, upper] = data?.series.slice(3 * i, 3 * i + 3) ?? [];
        const line = value && linesOf([value], view.axis, 0)[0];
        if (!value || !line || !lower || !upper || lower.error || upper.error) return [];
        const name = several ? `${run} ${margin.value}` : run;
        return [
          {
            ...line,
            name,
            ...(several ? {} : { look: lookOf(run) }),
            band: { low: boundOf(lower, value.steps), high: boundOf(upper, value.steps) },
          },
        ];
      }),
    [data],
  );
  const names = useMemo(() => shortNames(lines.map(({ name }) => name)), [lines]);
  if (error && !data)
    return (
      <p class="trouble" role="alert">
        {error.message}{" "}
        <button class="link" onClick={retry}>
          Try again
        </button>
      </p>
    );
  return (
    <>
      <LineChart
        lines={lines}
        cursor={cursor}
        onZoom={onZoom}
        summary={`${title}: ${margins.map((margin) => `${margin.value} between ${margin.lower} and ${margin.upper}`).join("; ")}`}
        logX={view.logX}
        logY={view.logY}
        fromZero={view.fromZero}
        clipOutliers={view.clip}
        xRange={view.zoom}
        yRange={null}
        xText={xText(view.axis)}
        xName={X_NAMES[view.axis]}
        {...(view.axis === "step" ? {} : { xTicks: timeTicks })}
      />
      <div class="values">
        {lines.slice(0, 8).map((line, i) => {
          const last = line.ys.length - 1;
          return (
            <span key={line.name} title={line.name}>
              <RunKey run={line.name} {...(line.look ? { look: line.look } : {})} />
              <span class="name">{names[i]}</span>
              {steady(line.ys[last] ?? NaN)}{" "}
              <span class="dim">
                {steady(line.band?.low[last] ?? NaN)} to {steady(line.band?.high[last] ?? NaN)}
              </span>
            </span>
          );
        })}
      </div>
    </>
  );
}
