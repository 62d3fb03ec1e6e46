import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Spikes } from "../../charts/histogram/Spikes";
import { hideReadout, showReadout } from "../../widgets/readout";
import { useSize } from "../../base/dom/useSize";
import { lookOf } from "../../domain/runs/run_look";
import { fixed, significant, tickTexts } from "../../base/text/format";
import { ticks } from "../../base/math/scale";
import type { Bars } from "./data";
import { placeOf } from "../../charts/drawing/axis_labels";
import { barAt, labelOf, layoutRidges, ridgeAt } from "./layout";

/** The histogram bar under the pointer. */
export function BarReadout({
  data,
  step,
  value,
  stepName,
}: {
  data: Bars;
  step: number;
  value: number;
  stepName: string;
}): JSX.Element {
  const { edges } = data;
  const bar = barAt(edges, value);
  const [counted, num] = [data.counts[step]?.[bar] ?? 0, data.nums[step] ?? 0];
  return (
    <>
      <b>{labelOf(data.steps[step] ?? 0, stepName)}</b>
      <dl class="two">
        <dt>values</dt>
        <dd>
          {bar < 0
            ? `none at ${significant(value, 3)}`
            : `${significant(edges[bar] ?? 0)} … ${significant(edges[bar + 1] ?? 0)}`}
        </dd>
        {bar >= 0 && (
          <>
            <dt>count</dt>
            <dd>{significant(counted, 6)}</dd>
            <dt>share</dt>
            <dd>{fixed(num > 0 ? (counted / num) * 100 : 0, 2)} %</dd>
          </>
        )}
      </dl>
    </>
  );
}

export function RidgeChart({
  run,
  data,
  overlay,
  logY,
  stepName,
  summary,
}: {
  run: string;
  data: Bars;
  overlay: boolean;
  logY: boolean;
  stepName: string;
  summary: string;
}): JSX.Element {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const [hot, setHot] = useState(-1);
  const layout = useMemo(
    () => layoutRidges(data, width, height, overlay, logY, stepName),
    [data, width, height, overlay, logY, stepName],
  );
  const leave = (): void => {
    setHot(-1);
    hideReadout();
  };
  const move = (event: PointerEvent): void => {
    const frame = ref.current?.getBoundingClientRect();
    if (!layout || !frame) return;
    const step = overlay ? data.steps.length - 1 : ridgeAt(layout, event.clientY - frame.top);
    setHot(step);
    showReadout(
      <BarReadout data={data} step={step} value={layout.x.invert(event.clientX - frame.left)} stepName={stepName} />,
      event.clientX,
      event.clientY,
    );
  };
  const xTicks = layout ? ticks(...layout.x.domain, 4) : [];
  const xTexts = tickTexts(xTicks);
  const faint = (age: number): number => (overlay ? 0.04 + age * 0.08 : 0.12 + age * 0.45);
  return (
    <div class="plot" ref={ref} role="img" aria-label={summary} onPointerMove={move} onPointerLeave={leave}>
      {layout && (
        <svg class={`chart ridges run-${lookOf(run).colour}`} height={height}>
          {layout.ridges.map((ridge, i) => (
            <path
              key={ridge.step}
              class={i === hot ? "ridge hot" : "ridge"}
              d={ridge.path}
              style={{
                fillOpacity: faint(ridge.age),
                strokeOpacity: overlay ? 0.2 + ridge.age * 0.8 : 0.65 + ridge.age * 0.35,
              }}
            />
          ))}
          {layout.ridges.map(
            (ridge, i) =>
              (!overlay || i === layout.ridges.length - 1) && (
                <Spikes
                  key={ridge.step}
                  spikes={ridge.spikes}
                  box={layout.box}
                  named={i === (hot < 0 ? layout.ridges.length - 1 : hot)}
                />
              ),
          )}
          {!overlay &&
            layout.ridges
              .filter((_, i, all) => i === 0 || i === all.length - 1 || i === hot)
              .map((ridge) => (
                <text
                  key={ridge.step}
                  class={ridge.step === data.steps[hot] ? "name halo" : ""}
                  x={layout.box.r + 6}
                  y={ridge.baseline + 4}
                >
                  {labelOf(ridge.step, stepName)}
                </text>
              ))}
          <path class="axis" d={`M${layout.box.l} ${Math.round(layout.box.b) + 0.5}H${layout.box.r}`} />
          {xTicks.map((t, i) => (
            <text
              key={t}
              x={placeOf(layout.x(t), xTexts[i] ?? "", width).x}
              y={height - 6}
              text-anchor={placeOf(layout.x(t), xTexts[i] ?? "", width).anchor}
            >
              {xTexts[i]}
            </text>
          ))}
        </svg>
      )}
    </div>
  );
}
