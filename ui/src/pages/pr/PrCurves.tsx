// Precision-recall curves: one card per tag with all runs, at one step; all cards show the same part of the axes.
import { type PrResponse, prCurvesShape } from "../../api/media";
import type { JSX } from "preact";
import { useId, useMemo, useState } from "preact/hooks";
import { ApiError, getJson } from "../../api/client";
import { hideReadout, showReadout } from "../../widgets/readout";
import { useNear } from "../../base/dom/useNear";
import { useSize } from "../../base/dom/useSize";
import { titleOf } from "../../domain/runs/run_titles";
import { lookOf } from "../../domain/runs/run_look";
import { count, decimalsOfStep, exact, fixed, significant } from "../../base/text/format";
import { ticks } from "../../base/math/scale";
import { shortNames } from "../../base/text/short_names";
import { EmptyPage } from "../../domain/live/EmptyPage";
import { RunKey } from "../../domain/runs/RunKey";
import { SeriesPage } from "../../domain/runs/SeriesPage";
import { Snippet } from "../../domain/live/Snippet";
import { useSharedStep } from "../../domain/runs/useSharedStep";
import { useKeys } from "../../base/keys";
import { query, setQuery } from "../../base/address";
import { useResource } from "../../domain/live/resource";
import {
  atThreshold,
  averagePrecision,
  hasPositives,
  bestF1,
  curveAt,
  layoutCurves,
  nearestPoint,
  rangeText,
  readRange,
  WHOLE,
  type PrCurve,
  type PrRange,
} from "./curve";
import "./pr.css";

const MAX_STEPS = 40; // The max number of steps per run; each step has some hundred numbers.
const MAX_RUNS = 12;
const MAX_OTHERS = 6; // The max number of other runs in the tooltip.
const CORNER = "0.8~1~0.8~1";
const DRAG = 6; // The min length of a drag, in pixels, that selects a part of the chart.

/** The values of all other runs at the threshold of the point. */
function Others({
  curves,
  threshold,
  but,
}: {
  curves: readonly PrCurve[];
  threshold: number;
  but: number;
}): JSX.Element | null {
  const others = curves
    .flatMap((curve, i) =>
      i === but || atThreshold(curve, threshold) < 0 ? [] : [{ curve, at: atThreshold(curve, threshold) }],
    )
    .slice(0, MAX_OTHERS);
  if (others.length === 0) return null;
  return (
    <table class="nearest">
      <thead>
        <tr>
          <th colSpan={2} class="dim">
            values at this threshold
          </th>
          <th class="dim num">precision</th>
          <th class="dim num">recall</th>
        </tr>
      </thead>
      <tbody>
        {others.map(({ curve, at }) => (
          <tr key={curve.run}>
            <td>
              <RunKey run={curve.run} />
            </td>
            <td class="name">{titleOf(curve.run)}</td>
            <td class="num">{significant(curve.precision[at] ?? NaN)}</td>
            <td class="num">{significant(curve.recall[at] ?? NaN)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Chart({ tag, curves, range }: { tag: string; curves: readonly PrCurve[]; range: PrRange }): JSX.Element {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const [hot, setHot] = useState<{ curve: number; at: number } | null>(null);
  const [drag, setDrag] = useState<{ x0: number; y0: number; x1: number; y1: number } | null>(null);
  const clip = useId();
  const layout = useMemo(() => layoutCurves(curves, width, height, range), [curves, width, height, range]);
  const leave = (): void => {
    setHot(null);
    hideReadout();
  };
  const placeOf = (event: PointerEvent): { x: number; y: number } => {
    const frame = ref.current!.getBoundingClientRect();
    const box = layout?.box ?? { l: 0, r: 0, t: 0, b: 0 };
    return {
      x: Math.max(box.l, Math.min(box.r, event.clientX - frame.left)),
      y: Math.max(box.t, Math.min(box.b, event.clientY - frame.top)),
    };
  };
  const move = (event: PointerEvent): void => {
    const { x, y } = placeOf(event);
    if (drag) return setDrag({ ...drag, x1: x, y1: y });
    const found = layout && nearestPoint(layout, curves, x, y);
    const curve = found && curves[found.curve];
    if (!found || !curve) return leave();
    setHot(found);
    const rows = [
      ["precision", curve.precision],
      ["recall", curve.recall],
      ["threshold", curve.thresholds],
      ["true positives", curve.truePositives],
      ["false positives", curve.falsePositives],
      ["false negatives", curve.falseNegatives],
    ] as const;
    showReadout(
      <>
        <b>{titleOf(curve.run)}</b>, step {count(curve.step)}
        <dl class="two">
          {rows.map(([name, values]) => (
            <>
              <dt>{name}</dt>
              <dd>{significant(values[found.at] ?? NaN)}</dd>
            </>
          ))}
        </dl>
        <Others curves={curves} threshold={curve.thresholds[found.at] ?? NaN} but={found.curve} />
      </>,
      event.clientX,
      event.clientY,
    );
  };
  const drop = (): void => {
    setDrag(null);
    if (!layout || !drag || Math.abs(drag.x1 - drag.x0) < DRAG || Math.abs(drag.y1 - drag.y0) < DRAG) return;
    const [left, right] = [layout.x.invert(Math.min(drag.x0, drag.x1)), layout.x.invert(Math.max(drag.x0, drag.x1))];
    const [low, high] = [layout.y.invert(Math.max(drag.y0, drag.y1)), layout.y.invert(Math.min(drag.y0, drag.y1))];
    setQuery({ zoom: rangeText([left, right, low, high]) }, "replace");
  };
  const threshold = hot ? (curves[hot.curve]?.thresholds[hot.at] ?? NaN) : NaN;
  const decimals = (from: number, to: number): ((value: number) => string) => {
    const digits = decimalsOfStep((to - from) / 5);
    return (value) => fixed(value, digits);
  };
  return (
    <div
      class="plot pr-plot"
      ref={ref}
      role="img"
      onPointerMove={move}
      onPointerLeave={leave}
      onDblClick={() => setQuery({ zoom: null }, "replace")}
      onPointerDown={(event) => {
        if (event.button === 0 && event.pointerType === "mouse") {
          const { x, y } = placeOf(event);
          ref.current?.setPointerCapture(event.pointerId);
          leave();
          setDrag({ x0: x, y0: y, x1: x, y1: y });
        }
      }}
      onPointerUp={drop}
      aria-label={`${tag}: ${curves.map((curve) => `${curve.run} has ${hasPositives(curve) ? `average precision ${significant(averagePrecision(curve), 3)}` : "no positive labels"}`).join(", ")}`}
    >
      {layout && (
        <svg class="chart" height={height} aria-hidden="true">
          <clipPath id={clip}>
            <rect
              x={layout.box.l}
              y={layout.box.t - 2}
              width={layout.box.r - layout.box.l + 2}
              height={layout.box.b - layout.box.t + 4}
            />
          </clipPath>
          {ticks(range[2], range[3], 5).map((t) => (
            <g key={`y${t}`}>
              <path class="grid" d={`M${layout.box.l} ${Math.round(layout.y(t)) + 0.5}H${layout.box.r}`} />
              <text x={layout.box.l - 6} y={layout.y(t) + 4} text-anchor="end">
                {decimals(range[2], range[3])(t)}
              </text>
            </g>
          ))}
          {ticks(range[0], range[1], 5).map((t) => (
            <g key={`x${t}`}>
              <path class="grid" d={`M${Math.round(layout.x(t)) + 0.5} ${layout.box.t}V${layout.box.b}`} />
              <text x={layout.x(t)} y={layout.box.b + 15} text-anchor="middle">
                {decimals(range[0], range[1])(t)}
              </text>
            </g>
          ))}
          <path class="axis" d={`M${layout.box.l + 0.5} ${layout.box.t}V${layout.box.b + 0.5}H${layout.box.r}`} />
          <text class="name" x={layout.box.r} y={layout.box.b + 30} text-anchor="end">
            recall
          </text>
          <text class="name halo" x={layout.box.l + 6} y={layout.box.b - 6}>
            precision
          </text>
          <g clip-path={`url(#${clip})`}>
            {layout.paths.map((d, i) => {
              const look = lookOf(curves[i]?.run ?? "");
              return <path key={i} class={`pr-line run-${look.colour}`} d={d} stroke-dasharray={look.dash.join(" ")} />;
            })}
            {hot &&
              curves.map((curve, i) => {
                const at = i === hot.curve ? hot.at : atThreshold(curve, threshold);
                return (
                  at >= 0 &&
                  Number.isFinite(curve.precision[at]) && (
                    <circle
                      key={curve.run}
                      class={`pr-point run-${lookOf(curve.run).colour}`}
                      cx={layout.x(curve.recall[at] ?? 0)}
                      cy={layout.y(curve.precision[at] ?? 0)}
                      r={i === hot.curve ? 4.5 : 3}
                    />
                  )
                );
              })}
          </g>
          {drag && (
            <rect
              class="brush"
              x={Math.min(drag.x0, drag.x1)}
              y={Math.min(drag.y0, drag.y1)}
              width={Math.abs(drag.x1 - drag.x0)}
              height={Math.abs(drag.y1 - drag.y0)}
            />
          )}
        </svg>
      )}
    </div>
  );
}

function Figures({ curves }: { curves: readonly PrCurve[] }): JSX.Element {
  const names = useMemo(() => shortNames(curves.map(({ run }) => run)), [curves]);
  return (
    <div class="pr-room">
      <table class="table pr-figures">
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col" class="num">
              Step
            </th>
            <th scope="col" class="num">
              Average precision
            </th>
            <th scope="col" class="num">
              Best F1
            </th>
            <th scope="col" class="num">
              at threshold
            </th>
          </tr>
        </thead>
        <tbody>
          {curves.map((curve, i) => {
            const [area, best] = [averagePrecision(curve), bestF1(curve)];
            return (
              <tr key={curve.run}>
                <td title={curve.run}>
                  <span class="run-line">
                    <RunKey run={curve.run} />{" "}
                    <span class="tail">
                      <bdi>{names[i]}</bdi>
                    </span>
                  </span>
                </td>
                <td class="num">{count(curve.step)}</td>
                {hasPositives(curve) ? (
                  <>
                    <td class="num" title={exact(area)}>
                      {fixed(area, 4)}
                    </td>
                    <td class="num" title={exact(best.f1)}>
                      {fixed(best.f1, 4)}
                    </td>
                    <td class="num">{fixed(best.threshold, 3)}</td>
                  </>
                ) : (
                  <td
                    class="num none"
                    colSpan={3}
                    title="Without a positive label, precision and recall are not defined"
                  >
                    no positive labels
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

interface CardProps {
  readonly tag: string;
  readonly runs: readonly string[];
  readonly step: number | null;
  readonly range: PrRange;
}

function LoadedCard({ tag, runs, step, range }: CardProps): JSX.Element {
  const shown = runs.slice(0, MAX_RUNS);
  // Shows all curves that can be read, even if another curve cannot be read.
  const load = (run: string, signal: AbortSignal): Promise<PrResponse | ApiError> =>
    getJson(prCurvesShape, "pr_curves", { run, tag, limit: MAX_STEPS }, signal).catch((problem: unknown) => {
      if (problem instanceof ApiError && shown.length > 1) return problem;
      throw problem;
    });
  const { state, retry } = useResource([tag, ...shown].join("\0"), (signal) =>
    Promise.all(shown.map((run) => load(run, signal))),
  );
  const { data, error } = state.value;
  const curves = useMemo(
    () =>
      (data ?? []).flatMap((response, i) =>
        response instanceof ApiError ? [] : (curveAt(shown[i] ?? "", response, step) ?? []),
      ),
    [data, step],
  );
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
      <Chart tag={tag} curves={curves} range={range} />
      <Figures curves={curves} />
      {(data ?? []).map(
        (response) =>
          response instanceof ApiError && (
            <p key={response.message} class="note bad">
              {response.message}
            </p>
          ),
      )}
      {runs.length > MAX_RUNS && (
        <p class="note">and {runs.length - MAX_RUNS} more runs; untick some shown runs to see them</p>
      )}
    </>
  );
}

function PrCard(props: CardProps): JSX.Element {
  const { ref, near } = useNear();
  return (
    <section class="card" ref={ref} aria-label={props.tag}>
      <header>
        <h3 title={props.tag}>{props.tag}</h3>
      </header>
      {near ? <LoadedCard {...props} /> : <div class="plot pr-plot" />}
    </section>
  );
}

export default function PrCurves(): JSX.Element {
  const { step, slider } = useSharedStep();
  const zoom = query.value.get("zoom");
  const range = useMemo(() => readRange(zoom), [zoom]);
  useKeys([{ key: "z", does: "Reset zoom", run: () => setQuery({ zoom: null }, "replace") }]);
  const corner = (
    <span class="seg" role="group" aria-label="Part of the curves">
      <button aria-pressed={range === WHOLE} onClick={() => setQuery({ zoom: null })}>
        Whole
      </button>
      <button
        aria-pressed={zoom === CORNER}
        title="The upper right corner, where good classifiers differ; drag over a chart to choose another part"
        onClick={() => setQuery({ zoom: CORNER })}
      >
        Upper right
      </button>
    </span>
  );
  return (
    <SeriesPage
      kind="pr_curve"
      title="PR curves"
      note=""
      unit="tag"
      tools={() => corner}
      knobs={slider}
      pick={(all) => [...new Map(all.map((series) => [series.tag, series])).values()]}
      card={(series, all) => (
        <PrCard
          tag={series.tag}
          step={step}
          range={range}
          runs={all.filter(({ tag }) => tag === series.tag).map(({ run }) => run)}
        />
      )}
      empty={
        <EmptyPage
          title="No precision-recall curves yet"
          about="This page shows precision-recall curves: the precision and recall of a classifier at every threshold."
          lookedFor={
            <>
              precision-recall curves: tags of the plugin <span class="mono">pr_curves</span>
            </>
          }
        >
          <Snippet lines={["writer.add_pr_curve(", `    "digits", labels, predictions, step)`]} />
        </EmptyPage>
      }
    />
  );
}
