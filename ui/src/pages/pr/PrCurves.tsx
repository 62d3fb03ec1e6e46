// Precision against recall: one card per tag, all runs in it, at one step.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { getJson } from "../../api/client";
import { hideReadout, showReadout } from "../../charts/readout";
import { useNear } from "../../charts/useNear";
import { useSize } from "../../charts/useSize";
import { lookOf } from "../../lib/colour";
import { count, exact, significant } from "../../lib/format";
import { Nothing } from "../../parts/Nothing";
import { RunKey } from "../../parts/RunKey";
import { SeriesPage } from "../../parts/SeriesPage";
import { useSharedStep } from "../../parts/useSharedStep";
import { useResource } from "../../state/resource";
import { averagePrecision, bestF1, curveAt, layoutCurves, nearestPoint, type PrAnswer, type PrCurve } from "./curve";
import "./pr.css";

const MOST_STEPS = 40; // Of a run; a step is some hundred numbers.
const MOST_RUNS = 12;
const TICKS = [0, 0.25, 0.5, 0.75, 1];

function Chart({ tag, curves }: { tag: string; curves: readonly PrCurve[] }): JSX.Element {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const [hot, setHot] = useState<{ curve: number; at: number } | null>(null);
  const layout = useMemo(() => layoutCurves(curves, width, height), [curves, width, height]);
  const leave = (): void => {
    setHot(null);
    hideReadout();
  };
  const move = (event: PointerEvent): void => {
    const frame = ref.current?.getBoundingClientRect();
    const found = layout && frame ? nearestPoint(layout, curves, event.clientX - frame.left, event.clientY - frame.top) : null;
    const curve = found && curves[found.curve];
    if (!found || !curve) return leave();
    setHot(found);
    const rows = [["precision", curve.precision], ["recall", curve.recall], ["threshold", curve.thresholds], ["true positives", curve.truePositives], ["false positives", curve.falsePositives], ["false negatives", curve.falseNegatives]] as const;
    showReadout(<><b>{curve.run}</b>, step {count(curve.step)}<dl class="two">{rows.map(([name, values]) => <><dt>{name}</dt><dd>{significant(values[found.at] ?? NaN)}</dd></>)}</dl></>, event.clientX, event.clientY);
  };
  const point = hot && curves[hot.curve];
  return (
    <div class="plot pr-plot" ref={ref} role="img" onPointerMove={move} onPointerLeave={leave}
      aria-label={`${tag}: ${curves.map((curve) => `${curve.run} has average precision ${significant(averagePrecision(curve), 3)}`).join(", ")}`}>
      {layout && (
        <svg class="chart" height={height} aria-hidden="true">
          {TICKS.map((t) => (
            <g key={t}>
              <path class="grid" d={`M${layout.box.l} ${Math.round(layout.y(t)) + 0.5}H${layout.box.r}M${Math.round(layout.x(t)) + 0.5} ${layout.box.t}V${layout.box.b}`} />
              <text x={layout.box.l - 6} y={layout.y(t) + 4} text-anchor="end">{t}</text>
              <text x={layout.x(t)} y={layout.box.b + 15} text-anchor="middle">{t}</text>
            </g>
          ))}
          <text class="name" x={layout.box.r} y={layout.box.b + 30} text-anchor="end">recall</text>
          <text class="name halo" x={layout.box.l + 6} y={layout.box.t + 12}>precision</text>
          {layout.paths.map((d, i) => {
            const look = lookOf(curves[i]?.run ?? "");
            return <path key={i} class={`pr-line run-${look.colour}`} d={d} stroke-dasharray={look.dash.join(" ")} />;
          })}
          {hot && point && <circle class={`pr-point run-${lookOf(point.run).colour}`} cx={layout.x(point.recall[hot.at] ?? 0)} cy={layout.y(point.precision[hot.at] ?? 0)} r={4} />}
        </svg>
      )}
    </div>
  );
}

function Figures({ curves }: { curves: readonly PrCurve[] }): JSX.Element {
  return (
    <table class="table pr-figures">
      <thead><tr><th scope="col">Run</th><th scope="col" class="num">Step</th><th scope="col" class="num">Average precision</th><th scope="col" class="num">Best F1</th><th scope="col" class="num">at threshold</th></tr></thead>
      <tbody>
        {curves.map((curve) => {
          const [area, best] = [averagePrecision(curve), bestF1(curve)];
          return (
            <tr key={curve.run}><td title={curve.run}><RunKey run={curve.run} /> {curve.run}</td><td class="num">{count(curve.step)}</td>
              <td class="num" title={exact(area)}>{significant(area)}</td><td class="num" title={exact(best.f1)}>{significant(best.f1)}</td><td class="num">{significant(best.threshold, 3)}</td></tr>
          );
        })}
      </tbody>
    </table>
  );
}

function LoadedCard({ tag, runs, step }: { tag: string; runs: readonly string[]; step: number | null }): JSX.Element {
  const shown = runs.slice(0, MOST_RUNS);
  const { state, retry } = useResource([tag, ...shown].join("\0"), (signal) => Promise.all(shown.map((run) => getJson<PrAnswer>("pr_curves", { run, tag, limit: MOST_STEPS }, signal))));
  const { data, error } = state.value;
  const curves = useMemo(() => (data ?? []).flatMap((answer, i) => curveAt(shown[i] ?? "", answer, step) ?? []), [data, step]);
  if (error && !data) return <p class="trouble" role="alert">{error.message} <button class="link" onClick={retry}>Try again</button></p>;
  return <><Chart tag={tag} curves={curves} /><Figures curves={curves} />{runs.length > MOST_RUNS && <p class="note">and {runs.length - MOST_RUNS} more runs: untick some to see them</p>}</>;
}

function PrCard(props: { tag: string; runs: readonly string[]; step: number | null }): JSX.Element {
  const { ref, near } = useNear();
  return (
    <section class="card" ref={ref} aria-label={props.tag}>
      <header><h3 title={props.tag}>{props.tag}</h3></header>
      {near ? <LoadedCard {...props} /> : <div class="plot pr-plot" />}
    </section>
  );
}

export default function PrCurves(): JSX.Element {
  const { step, slider } = useSharedStep();
  return (
    <SeriesPage kind="pr_curve" title="PR curves" note="" unit="tag" knobs={slider} pick={(all) => [...new Map(all.map((series) => [series.tag, series])).values()]}
      card={(series, all) => <PrCard tag={series.tag} step={step} runs={all.filter(({ tag }) => tag === series.tag).map(({ run }) => run)} />} empty={(
      <Nothing title="No precision-recall curves yet" about="This page shows what a classifier finds, and how much of that is right, at every threshold." lookedFor={<>tags of the plugin <span class="mono">pr_curves</span></>}>
        <pre>{`writer.add_pr_curve("digits", labels, predictions, step)`}</pre>
      </Nothing>
    )} />
  );
}
