// Min and max of every channel: A as bars, B as ticks at their ends.
import { channelsShape } from "../../api/compression/layers";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { getJson } from "../../api/client";
import { useSize } from "../../base/dom/useSize";
import { decimalsOfColumn, exact, fixed, significant } from "../../base/text/format";
import { ticks } from "../../base/math/scale";
import { useKeys } from "../../base/keys";
import { query, setQuery } from "../../base/address";
import { dbText } from "../../domain/layers/decibels";
import { useResource } from "../../domain/live/resource";
import { ChannelDetail } from "./ChannelDetail";
import { channelToName, layoutRibbon, sidesOf, type ChannelSide, type RibbonLayout } from "./channel_rows";

const NAMED = 3;
const MAX_ROWS = 500; // The max number of rows of the table; the server has all channels.

const pickedChannel = (): number => Number(query.value.get("channel") ?? NaN);

function Drawing({
  sides: [a, b],
  layout,
  height,
  picked,
}: {
  sides: readonly [ChannelSide, ChannelSide | null];
  layout: RibbonLayout;
  height: number;
  picked: number;
}): JSX.Element {
  const { box, x, y } = layout;
  const step = x(1) - x(0);
  const half = Math.max(0.5, Math.min(3, step * 0.35));
  const range = (side: ChannelSide, i: number): string =>
    `${significant(side.min[i] ?? NaN)} to ${significant(side.max[i] ?? NaN)}`;
  return (
    <svg class="chart" height={height}>
      {ticks(...y.domain, 6).map((t) => (
        <g key={t}>
          <path class={t === 0 ? "axis" : "grid"} d={`M${box.l} ${Math.round(y(t)) + 0.5}H${box.r}`} />
          <text x={box.l - 6} y={y(t) + 4} text-anchor="end">
            {significant(t, 3)}
          </text>
        </g>
      ))}
      {a.min.map((low, i) => {
        const high = a.max[i] ?? NaN;
        if (!Number.isFinite(low) || !Number.isFinite(high)) return null;
        const px = Math.round(x(i)) + 0.5;
        return (
          <path
            key={i}
            class={`range-a${i === picked ? " picked" : ""}`}
            d={`M${px} ${y(low).toFixed(1)}V${y(high).toFixed(1)}`}
            stroke-width={step < 3.5 ? 1 : 2}
          />
        );
      })}
      {b && (
        <path
          class="range-b"
          d={[...b.min.map((v, i) => [v, i] as const), ...b.max.map((v, i) => [v, i] as const)]
            .filter(([v, i]) => Number.isFinite(v) && i < layout.n)
            .map(([v, i]) => `M${(x(i) - half).toFixed(1)} ${y(v).toFixed(1)}H${(x(i) + half).toFixed(1)}`)
            .join("")}
        />
      )}
      {a.min.map((_, i) => (
        <rect
          key={i}
          class="hit"
          data-channel={i}
          x={x(i - 0.5)}
          y={box.t}
          width={step}
          height={box.b - box.t}
          onClick={() => setQuery({ channel: String(i) })}
        >
          <title>{`channel ${i}: ${range(a, i)}${b ? `, ${b.name} ${range(b, i)}` : ""}`}</title>
        </rect>
      ))}
      {a.outliers.slice(0, NAMED).map((channel) => (
        <text key={channel} class="warn halo" x={x(channel)} y={y(a.max[channel] ?? 0) - 4} text-anchor="middle">
          {channel}
        </text>
      ))}
      {ticks(0, layout.n - 1, 8)
        .filter(Number.isInteger)
        .map((t) => (
          <text key={t} x={x(t)} y={height - 3} text-anchor="middle">
            {t}
          </text>
        ))}
    </svg>
  );
}

function Rows({ sides: [a, b] }: { sides: readonly [ChannelSide, ChannelSide | null] }): JSX.Element {
  // All numbers of a column have the same decimals, so that decimal points are aligned.
  const [ends, means] = [decimalsOfColumn([...a.min, ...a.max]), decimalsOfColumn(a.mean)];
  const cells = (side: ChannelSide, i: number): JSX.Element => (
    <>
      {[side.min, side.max, side.mean].map((values, k) => (
        <td key={k} class="num" title={exact(values[i] ?? NaN)}>
          {fixed(values[i] ?? NaN, k < 2 ? ends : means)}
        </td>
      ))}
    </>
  );
  const heads = (side: ChannelSide, tone: string): JSX.Element => (
    <>
      {["Min", "Max", "Mean"].map((name) => (
        <th key={name} scope="col" class={`num ${tone}`}>
          {b ? `${side.name} ${name.toLowerCase()}` : name}
        </th>
      ))}
    </>
  );
  return (
    <div class="bin-table" tabIndex={0} role="region" aria-label="Channels">
      <table class="table">
        <caption class="sr">Min, max and mean of each channel</caption>
        <thead>
          <tr>
            <th scope="col" class="num">
              Channel
            </th>
            {heads(a, "in-a")}
            {b && heads(b, "in-b")}
            {b && b.sqnr.length > 0 && (
              <th scope="col" class="num">
                SQNR, dB
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {a.min.slice(0, MAX_ROWS).map((_, i) => (
            <tr key={i}>
              <th scope="row" class="num">
                {i}
              </th>
              {cells(a, i)}
              {b && cells(b, i)}
              {b && b.sqnr.length > 0 && <td class="num">{dbText(b.sqnr[i] ?? NaN)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function ChannelRibbon({
  model,
  layer,
  tensor,
  a,
  b,
}: {
  model: string | null;
  layer: string;
  tensor: string;
  a: string;
  b: string;
}): JSX.Element | null {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const { state } = useResource(`channels ${model}\0${tensor}\0${layer}`, (signal) =>
    getJson(channelsShape, "compression/channels", { layer, tensor, model }, signal),
  );
  const { data } = state.value;
  const sides = useMemo(() => (data ? sidesOf(data, a, b) : null), [data, a, b]);
  const layout = useMemo(() => (sides ? layoutRibbon(sides, width, height) : null), [sides, width, height]);
  const asked = pickedChannel();
  const named = useMemo(() => (sides ? channelToName(sides) : null), [sides]);
  const picked = Number.isInteger(asked) ? asked : (named ?? NaN);
  const n = sides ? Math.max(sides[0].min.length, sides[0].max.length) : 0;
  const move = (by: number) => (): void => {
    if (n === 0) return;
    const now = pickedChannel();
    const from = Number.isInteger(now) ? now : by > 0 ? -1 : n;
    setQuery({ channel: String(Math.max(0, Math.min(n - 1, from + by))) }, "replace");
  };
  useKeys([
    { key: "arrowright", does: "Next channel", run: move(1) },
    { key: "arrowleft", does: "Previous channel", run: move(-1) },
    { key: "shift-arrowright", does: "Go ten channels forward", run: move(10) },
    { key: "shift-arrowleft", does: "Go ten channels back", run: move(-10) },
  ]);
  if (!sides) return null;
  const [sideA, sideB] = sides;
  const asTable = query.value.get("channels") === "table";
  return (
    <section class="panel" aria-labelledby="channel-title">
      <div class="panel-head">
        <h2 id="channel-title">Value range of each channel</h2>
        <span class="note long">
          {n} channels; bars show the range from min to max of <span class="in-a">{sideA.name}</span>
          {sideB ? (
            <>
              , ticks the range of <span class="in-b">{sideB.name}</span>
            </>
          ) : (
            ""
          )}
          {sideA.explanation ? `; ${sideA.explanation}` : ""}
        </span>
        <button
          class="link push"
          aria-pressed={asTable}
          onClick={() => setQuery({ channels: asTable ? null : "table" }, "replace")}
        >
          {asTable ? "Chart" : "Table"}
        </button>
      </div>
      {asTable ? (
        <Rows sides={sides} />
      ) : (
        <div class="channels" ref={ref} role="img" aria-label={`Ranges of ${n} channels. ${sideA.explanation}`}>
          {layout && <Drawing sides={sides} layout={layout} height={height} picked={picked} />}
        </div>
      )}
      {Number.isInteger(picked) && picked < n && (
        <ChannelDetail sides={sides} channel={picked} isWorst={picked === named} isOutput={tensor === "output"} />
      )}
    </section>
  );
}
