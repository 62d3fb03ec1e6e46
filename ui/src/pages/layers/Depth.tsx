// A chart of the error of each layer by its depth in the model.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { useSize } from "../../base/dom/useSize";
import { plural } from "../../base/text/format";
import { figureText, limitText, topOf, type Layer, type Limits } from "../../domain/layers/layers";
import { areSpared, byDepth, clampDb, labelOf, layoutDepth, type DepthLayout } from "./depth_layout";

/** Uses few SVG elements for any number of layers: one path per level, and one rectangle for the pointer. */
function Stems({
  layout,
  height,
  onPick,
}: {
  layout: DepthLayout;
  height: number;
  onPick: (layer: Layer) => void;
}): JSX.Element {
  const [near, setNear] = useState<Layer | null>(null);
  const paths = useMemo(
    () =>
      (["good", "warn", "bad"] as const).map((level) => {
        const stems = layout.stems.filter((stem) => stem.layer.level === level);
        return {
          level,
          lines: stems.map(({ x, y }) => `M${x} ${layout.box.t}V${y}`).join(""),
          dots: stems.map(({ x, y }) => `M${x} ${y}h0`).join(""),
        };
      }),
    [layout],
  );
  const at = (event: { readonly clientX: number; readonly currentTarget: Element }): Layer | null =>
    layout.layerAt(event.clientX - event.currentTarget.getBoundingClientRect().left + layout.box.l);
  return (
    <>
      {paths.map(
        ({ level, lines, dots }) =>
          lines && (
            <g key={level}>
              <path class={`stem ${level}`} d={lines} />
              <path class={`dots ${level}`} d={dots} />
            </g>
          ),
      )}
      <rect
        class="hit"
        x={layout.box.l}
        y="0"
        width={layout.box.r - layout.box.l}
        height={height}
        onPointerMove={(event) => setNear(at(event))}
        onClick={(event) => {
          const layer = at(event);
          if (layer) onPick(layer);
        }}
      >
        {near && <title>{`${near.name} ${figureText(near)}`}</title>}
      </rect>
    </>
  );
}

const RULE_ROOM = 104; // The width of the text "fail below 20 dB" in pixels.

export function Depth({
  layers,
  limits,
  picked,
  onPick,
}: {
  layers: readonly Layer[];
  limits: Limits;
  picked: Layer | null;
  onPick: (layer: Layer) => void;
}): JSX.Element {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const ordered = useMemo(() => byDepth(layers), [layers]);
  const layout = useMemo(() => layoutDepth(ordered, width, height, topOf(limits)), [ordered, width, height, limits]);
  const at = picked ? ordered.indexOf(picked) : -1;
  const isDrawn = picked !== null && !Number.isNaN(picked.sqnr);
  const name = isDrawn ? `${picked.name} ${figureText(picked)}` : "";
  const label = layout && isDrawn && at >= 0 ? labelOf(layout, at, picked.sqnr, name) : null;
  // The label of the limit is at the right or left end of its line; above the line if neither fits.
  const ruleAtRight = layout !== null && (label?.x ?? Infinity) < (layout.box.l + layout.box.r) / 2;
  const ruled = layout !== null && layout.rule.length > 0;
  const reds = new Set(layers.filter((layer) => !Number.isNaN(layer.sqnr)).map((layer) => layer.limits.red_db));
  const [red] = reds;
  const verb = areSpared(layers) ? "to watch" : "fail";
  const above = layout !== null && ruleAtRight && (label?.to ?? 0) >= layout.box.r - RULE_ROOM;
  return (
    <div class="depth-plot" ref={ref}>
      {layout && (
        <svg
          class="chart"
          height={height}
          role="img"
          aria-label={
            picked
              ? `SQNR of ${plural(layers.length, "tensor")}; ${picked.name} has ${figureText(picked)}`
              : "SQNR along depth"
          }
        >
          {layout.ticks.map((t) => (
            <g key={t}>
              <path class="grid" d={`M${layout.box.l} ${Math.round(layout.y(t)) + 0.5}H${layout.box.r}`} />
              <text x={layout.box.l - 8} y={layout.y(t) + 4} text-anchor="end">
                {t}
              </text>
            </g>
          ))}
          <path class="axis" d={`M${layout.box.l} ${Math.round(layout.y(layout.top)) + 0.5}H${layout.box.r}`} />
          {ruled && (
            <path
              class="rule"
              d={layout.rule
                .map(([x, y], i) => `${i === 0 ? "M" : "L"}${x.toFixed(1)} ${Math.round(y) + 0.5}`)
                .join("")}
            />
          )}
          <path
            class="grid"
            d={layout.groups
              .slice(1)
              .map((group) => `M${Math.round(group.from) + 0.5} ${layout.box.t}V${layout.box.b + 6}`)
              .join("")}
          />
          {layout.groups.map(
            (group, i) =>
              group.named && (
                <text key={i} x={(group.from + group.to) / 2} y={height - 4} text-anchor="middle">
                  {group.name}
                </text>
              ),
          )}
          {layout.carried.length > 1 && (
            <path
              class="total"
              d={layout.carried.map(([x, y], i) => `${i === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("")}
            />
          )}
          <Stems layout={layout} height={height} onPick={onPick} />
          {ruled && (
            <text
              class="halo"
              x={ruleAtRight ? layout.box.r - 4 : layout.box.l + 4}
              y={(layout.rule.at(ruleAtRight ? -1 : 0)?.[1] ?? 0) + (above ? -4 : 12)}
              text-anchor={ruleAtRight ? "end" : "start"}
            >
              {reds.size === 1 && red !== undefined ? `${verb} below ${limitText(red)} dB` : `${verb} below this line`}
            </text>
          )}
          {isDrawn && at >= 0 && (
            <circle
              class={`dot ${picked.level} sel`}
              cx={Math.round(layout.x(at)) + 0.5}
              cy={layout.y(clampDb(picked.sqnr, layout.top, layout.y.domain[0]))}
              r={4}
            />
          )}
          {picked && label && (
            <text class={`${picked.level} name halo`} x={label.x} y={label.y} text-anchor={label.anchor}>
              {name}
            </text>
          )}
        </svg>
      )}
    </div>
  );
}
