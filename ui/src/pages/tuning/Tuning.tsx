// Accuracy-driven tuning: what each trial gave against the baseline, and which to ship.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { getJson } from "../../api/client";
import { useSize } from "../../charts/useSize";
import { hideReadout, showReadout } from "../../charts/readout";
import { duration, percent, points, plural } from "../../lib/format";
import { extent, linearScale, padded, ticks } from "../../lib/scale";
import { Menu } from "../../shell/Menu";
import { go, hrefOf, query, setQuery } from "../../state/location";
import { useResource } from "../../state/resource";
import { readTrials, USUAL_TARGET, type Trial, type TuningAnswer } from "./data";
import "./tuning.css";

function Chart({ trials, target, onOpen }: { trials: readonly Trial[]; target: number; onOpen: (trial: Trial) => void }): JSX.Element {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const base = trials.find((trial) => trial.isBaseline)?.accuracy ?? null;
  const layout = useMemo(() => {
    const range = extent(trials.flatMap((trial) => (trial.accuracy === null ? [] : [trial.accuracy * 100])));
    if (!range || width < 120) return null;
    const box = { l: 44, r: width - 120, t: 16, b: height - 26 };
    return { box, x: linearScale(-0.5, trials.length - 0.5, box.l, box.r), y: linearScale(...padded(range, 0.08), box.b, box.t) };
  }, [trials, width, height]);
  return (
    <div class="tuning-plot" ref={ref}>
      {layout && (
        <svg class="chart" height={height} role="group" aria-label={`Accuracy of ${plural(trials.length, "trial")}`}>
          {ticks(...layout.y.domain, 5).map((t) => (
            <g key={t}>
              <path class="grid" d={`M${layout.box.l} ${Math.round(layout.y(t)) + 0.5}H${layout.box.r}`} />
              <text x={layout.box.l - 8} y={layout.y(t) + 4} text-anchor="end">{t}</text>
            </g>
          ))}
          <text x={layout.box.l} y={layout.box.t - 5} class="halo">accuracy, %</text>
          {base !== null && (
            <>
              <path class="line-a" d={`M${layout.box.l} ${layout.y(base * 100)}H${layout.box.r}`} />
              <text class="ink-a" x={layout.box.r + 6} y={layout.y(base * 100) - 2}>{`baseline ${percent(base, 1)}`}</text>
              <path class="rule" d={`M${layout.box.l} ${Math.round(layout.y(base * (1 - target) * 100)) + 0.5}H${layout.box.r}`} />
              <text x={layout.box.r + 6} y={layout.y(base * (1 - target) * 100) + 11}>{`target −${target * 100} %`}</text>
            </>
          )}
          {trials.map((trial, i) => {
            const px = layout.x(i);
            if (trial.accuracy === null) return <text key={trial.run} x={px} y={layout.box.b - 6} text-anchor="middle">running</text>;
            const py = layout.y(trial.accuracy * 100);
            const level = trial.isBaseline ? "a" : trial.passes ? "good" : "bad";
            return (
              <g key={trial.run} class="trial" tabIndex={0} role="link"
                onClick={() => onOpen(trial)} onKeyDown={(event) => { if (event.key === "Enter") onOpen(trial); }}
                onPointerMove={(event) => showReadout(<Card trial={trial} />, event.clientX, event.clientY)} onPointerLeave={hideReadout}>
                <rect class="hit" x={px - 16} y={layout.box.t} width="32" height={layout.box.b - layout.box.t} />
                {trial.isBaseline ? <circle class="mark-a" cx={px} cy={py} r="4" /> : <path class={`fill-${level}`} d={`M${px} ${py - 5}l5 5-5 5-5-5z`} />}
                <text class="name halo" x={px} y={trial.isBaseline || base === null || py - layout.y(base * 100) > 30 ? py - 10 : py + 22} text-anchor="middle">{`${trial.isBest ? "best " : ""}${percent(trial.accuracy, 1)}`}</text>
                <text x={px} y={layout.box.b + 16} text-anchor="middle">{trial.name}</text>
              </g>
            );
          })}
        </svg>
      )}
    </div>
  );
}

function Card({ trial }: { trial: Trial }): JSX.Element {
  return (
    <>
      <b>{trial.name}</b>
      <dl>
        <dt>accuracy</dt><dd>{trial.accuracy === null ? "not known yet" : `${percent(trial.accuracy)} %`}</dd>
        <dt>change</dt><dd>{trial.change === null ? "–" : points(trial.change)}</dd>
      </dl>
      {trial.changed && <div class="dim">{trial.changed}</div>}
    </>
  );
}

export default function Tuning(): JSX.Element {
  const { state, retry } = useResource("tuning", (signal) => getJson<TuningAnswer>("compression/tuning", {}, signal));
  const { data, error } = state.value;
  const timelines = data?.timelines ?? [];
  const timeline = timelines.find((t) => t.experiment === query.value.get("experiment")) ?? timelines[0];
  const trials = useMemo(() => (timeline ? readTrials(timeline, USUAL_TARGET) : []), [timeline]);
  if (error && !data) return <p class="trouble" role="alert">{error.message} <button class="link" onClick={retry}>Try again</button></p>;
  if (!data) return <div class="view" aria-busy="true" />;
  if (!timeline) return <Empty />;
  const open = (trial: Trial): void => {
    if (!trial.isBaseline) go(hrefOf(["layers"], { model: timeline.model, a: "baseline", b: trial.name }));
  };
  const best = trials.find((trial) => trial.isBest);
  return (
    <div class="view">
      <div class="page-bar">
        <h1>Tuning</h1>
        <span class="note">
          {plural(trials.filter((t) => !t.isBaseline).length, "trial")}
          {best?.accuracy != null ? `; best so far ${best.name} with ${percent(best.accuracy)} %${best.change === null ? "" : `, ${points(best.change)}`}` : ""}
        </span>
        {timelines.length > 1 && (
          <Menu label={`Experiment: ${timeline.experiment}`} value={timeline.experiment} choices={timelines.map((t) => ({ value: t.experiment, text: t.experiment }))}
            onPick={(experiment) => setQuery({ experiment })}>{timeline.experiment}</Menu>
        )}
      </div>
      <section class="panel tuning-panel" aria-label="Accuracy by trial"><Chart trials={trials} target={USUAL_TARGET} onOpen={open} /></section>
      <div class="tuning-table">
        <table class="table">
          <caption class="sr">Trials</caption>
          <thead><tr><th scope="col">Trial</th><th scope="col" class="num">Accuracy, %</th><th scope="col" class="num">Change, pp</th><th scope="col">Verdict</th><th scope="col">Changed settings</th><th scope="col" class="num">Took</th><th scope="col">Run</th></tr></thead>
          <tbody>
            {trials.map((trial) => (
              <tr key={trial.run} tabIndex={0} onClick={() => open(trial)} onKeyDown={(event) => { if (event.key === "Enter") open(trial); }}>
                <td>{trial.name}{trial.isBest ? " (best)" : ""}</td>
                <td class="num">{trial.accuracy === null ? <span class="none">not known yet</span> : percent(trial.accuracy)}</td>
                <td class="num">{trial.change === null || trial.isBaseline ? "–" : points(trial.change).replace(" pp", "")}</td>
                <td>{trial.isBaseline ? <span class="dim">reference</span> : trial.passes === null ? <span class="dim">running</span>
                  : trial.passes ? <span class="verdict good">keeps the target</span> : <span class="verdict bad">loses too much</span>}</td>
                <td class="dim">{trial.changed || "–"}</td>
                <td class="num">{trial.duration > 0 ? duration(trial.duration) : "–"}</td>
                <td class="mono dim">{trial.run}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function Empty(): JSX.Element {
  return (
    <div class="empty">
      <h1>No tuning runs yet</h1>
      <p>This page shows the trials of accuracy-driven tuning: run directories named like <span class="mono">baseline_acc_0.776</span> and <span class="mono">tune_1_acc_0.095</span>.</p>
      <p>neural-compressor writes them with <span class="mono">tensorboard: true</span> in its configuration.</p>
    </div>
  );
}
