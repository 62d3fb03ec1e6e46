// The accuracy of each trial, over its number or over time, beside the baseline and the allowed drop.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { hideReadout, showReadout } from "../../widgets/readout";
import { useSize } from "../../base/dom/useSize";
import { duration, percent, points, plural, significant } from "../../base/text/format";
import { extent, linearScale, padded, ticks, timeTicks } from "../../base/math/scale";
import type { Trial } from "./data";

function Card({ trial }: { trial: Trial }): JSX.Element {
  return (
    <>
      <b>
        {trial.name}
        {trial.isBest ? ", the best" : ""}
      </b>
      <dl>
        <dt>accuracy</dt>
        <dd>{trial.accuracy === null ? "not measured" : `${percent(trial.accuracy)} %`}</dd>
        <dt>change</dt>
        <dd>{trial.change === null ? "–" : points(trial.change)}</dd>
      </dl>
      {trial.fromBest.length > 0 && (
        <>
          <div class="dim">differences from the best trial</div>
          <dl>
            {trial.fromBest.slice(0, 8).map(({ name, here, best }) => (
              <>
                <dt key={name}>{name}</dt>
                <dd>
                  {here} <span class="dim">(best {best})</span>
                </dd>
              </>
            ))}
          </dl>
        </>
      )}
    </>
  );
}

export function TrialChart({
  trials,
  target,
  overTime,
  picked,
  onPick,
  onOpen,
}: {
  trials: readonly Trial[];
  target: number;
  overTime: boolean;
  picked: Trial | null;
  onPick: (trial: Trial) => void;
  onOpen: (trial: Trial) => void;
}): JSX.Element {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const base = trials.find((trial) => trial.isBaseline)?.accuracy ?? null;
  const best = trials.find((trial) => trial.isBest);
  const layout = useMemo(() => {
    const range = extent(trials.flatMap((trial) => (trial.accuracy === null ? [] : [trial.accuracy * 100])));
    if (!range || width < 120) return null;
    const box = { l: 44, r: width - (width > 560 ? 120 : 16), t: 30, b: height - 30 };
    const last = Math.max(...trials.map((trial) => trial.begun), 1e-3);
    const scale = overTime
      ? linearScale(-0.04 * last, 1.04 * last, box.l, box.r)
      : linearScale(-0.5, trials.length - 0.5, box.l, box.r);
    return {
      box,
      x: (trial: Trial, i: number) => scale(overTime ? trial.begun : i),
      scale,
      y: linearScale(...padded(range, 0.1), box.b, box.t),
      wide: width > 560,
    };
  }, [trials, overTime, width, height]);
  const summary = `Accuracy of ${plural(trials.length, "trial")}${best?.accuracy != null ? `; best is ${best.name} with ${percent(best.accuracy)} %${best.change === null ? "" : `, ${points(best.change)} from the baseline`}` : ""}`;
  // Not every trial has its name on the axis, because names of many trials would overlap.
  const every = layout ? Math.max(1, Math.ceil((trials.length * 58) / (layout.box.r - layout.box.l))) : 1;
  // If the trials are close together, only the value of the best trial is written in the chart. The table has all
  // values.
  const roomy = layout !== null && (layout.box.r - layout.box.l) / trials.length >= 26;
  // A value is shorter than a name, so more values than names fit.
  const everyValue = layout ? Math.max(1, Math.ceil((trials.length * 34) / (layout.box.r - layout.box.l))) : 1;
  return (
    <div class="tuning-plot" ref={ref}>
      {layout && (
        <svg class="chart" height={height} role="group" aria-label={summary}>
          {ticks(...layout.y.domain, 5).map((t) => (
            <g key={t}>
              <path class="grid" d={`M${layout.box.l} ${Math.round(layout.y(t)) + 0.5}H${layout.box.r}`} />
              <text x={layout.box.l - 8} y={layout.y(t) + 4} text-anchor="end">
                {t}
              </text>
            </g>
          ))}
          <text x={layout.box.l} y={layout.box.t - 16} class="halo">
            Accuracy, %
          </text>
          {base !== null && (
            <>
              <path class="line-a" d={`M${layout.box.l} ${layout.y(base * 100)}H${layout.box.r}`} />
              <path
                class="rule"
                d={`M${layout.box.l} ${Math.round(layout.y(base * (1 - target) * 100)) + 0.5}H${layout.box.r}`}
              />
              {layout.wide && (
                <>
                  <text
                    class="ink-a"
                    x={layout.box.r + 6}
                    y={layout.y(base * 100) - 2}
                  >{`baseline ${percent(base, 1)}`}</text>
                  <text
                    x={layout.box.r + 6}
                    y={layout.y(base * (1 - target) * 100) + 11}
                  >{`target −${significant(target * 100, 3)} %`}</text>
                </>
              )}
            </>
          )}
          {overTime &&
            timeTicks(...layout.scale.domain, layout.wide ? 6 : 3)
              .filter((t) => t >= 0)
              .map((t) => (
                <text key={t} x={layout.scale(t)} y={layout.box.b + 18} text-anchor="middle">
                  {t === 0 ? "0" : duration(t)}
                </text>
              ))}
          {trials.map((trial, i) => {
            const px = layout.x(trial, i);
            if (trial.accuracy === null)
              return (
                <text key={trial.run} x={px} y={layout.box.b - 6} text-anchor="middle">
                  not measured
                </text>
              );
            const py = layout.y(trial.accuracy * 100);
            const level = trial.isBaseline ? "a" : trial.passes ? "good" : "bad";
            // If the mark is above the target, the value is written above the mark.
            const under = base === null ? -1 : py - layout.y(base * 100);
            const near = under >= 0 && under <= 30 && !trial.isBaseline;
            const named = i % every === 0;
            const valued = roomy ? named || (!overTime && i % everyValue === 0) : trial.isBaseline;
            const show = (event: { clientX: number; clientY: number }): void =>
              showReadout(<Card trial={trial} />, event.clientX, event.clientY);
            return (
              <g
                key={trial.run}
                class={`trial${trial === picked ? " picked" : ""}`}
                tabIndex={0}
                role="link"
                aria-label={
                  named && !overTime
                    ? undefined
                    : `${trial.name}, ${trial.isBest ? "best " : ""}${percent(trial.accuracy, 1)} %`
                }
                onClick={() => onOpen(trial)}
                onKeyDown={(event) => {
                  if (event.key === "Enter") onOpen(trial);
                }}
                onFocus={(event) => {
                  onPick(trial);
                  const at = event.currentTarget.getBoundingClientRect();
                  show({ clientX: at.x + at.width, clientY: at.y });
                }}
                onBlur={hideReadout}
                onPointerMove={show}
                onPointerLeave={hideReadout}
              >
                <rect class="hit" x={px - 16} y={layout.box.t} width="32" height={layout.box.b - layout.box.t} />
                {trial === picked && <circle class="ring" cx={px} cy={py} r="9" />}
                {trial.isBaseline ? (
                  <circle class="mark-a" cx={px} cy={py} r="4" />
                ) : (
                  <path class={`mark-${level}`} d={`M${px} ${py - 5}l5 5-5 5-5-5z`} />
                )}
                {(valued || trial.isBest || trial === picked) && (
                  <text
                    class="name halo"
                    x={px}
                    y={near ? py + 22 : py - 12}
                    text-anchor={px < layout.box.l + 14 ? "start" : "middle"}
                  >{`${trial.isBest ? "best " : ""}${percent(trial.accuracy, 1)}`}</text>
                )}
                {!overTime && named && (
                  <text x={px} y={layout.box.b + 18} text-anchor="middle">
                    {trial.name}
                  </text>
                )}
              </g>
            );
          })}
        </svg>
      )}
    </div>
  );
}
