// Least and greatest value of every channel, from stage logs, whose step is the channel.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { getJson } from "../../api/client";
import { toNumber, type WireNumber } from "../../api/wire";
import { useSize } from "../../charts/useSize";
import { significant } from "../../lib/format";
import { extent, linearScale, padded, ticks } from "../../lib/scale";
import { useKeys } from "../../shell/keys";
import { query, setQuery } from "../../state/location";
import { useResource } from "../../state/resource";

interface Channels {
  min: WireNumber[];
  max: WireNumber[];
  mean: WireNumber[];
  outliers: { channels: number[]; ratios: WireNumber[] };
  explanation: string;
}

interface ChannelsAnswer {
  stages: { stage: string; channels: Channels }[];
}

const NAMED = 3;

const pickedChannel = (): number => Number(query.value.get("channel") ?? NaN);

export function ChannelRibbon({ layer }: { layer: string }): JSX.Element | null {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const { state } = useResource(`channels ${layer}`, (signal) => getJson<ChannelsAnswer>("compression/channels", { layer }, signal));
  const stages = state.value.data?.stages ?? [];
  const shown = stages.at(-1);
  const layout = useMemo(() => {
    if (!shown) return null;
    const lows = shown.channels.min.map(toNumber);
    const highs = shown.channels.max.map(toNumber);
    const range = extent([...lows, ...highs]);
    if (!range || width < 80) return null;
    const box = { l: 44, r: width - 10, t: 10, b: height - 18 };
    const n = Math.max(lows.length, highs.length);
    return { box, lows, highs, n, y: linearScale(...padded(range), box.b, box.t), x: linearScale(-0.5, n - 0.5, box.l, box.r) };
  }, [shown, width, height]);
  const picked = pickedChannel();
  const n = layout?.n ?? 0;
  const move = (by: number) => (): void => {
    if (n === 0) return;
    const now = pickedChannel();
    const from = Number.isInteger(now) ? now : by > 0 ? -1 : n;
    setQuery({ channel: String(Math.max(0, Math.min(n - 1, from + by))) }, "replace");
  };
  useKeys([
    { key: "arrowright", does: "Next channel", run: move(1) },
    { key: "arrowleft", does: "Previous channel", run: move(-1) },
    { key: "shift-arrowright", does: "Ten channels on", run: move(10) },
    { key: "shift-arrowleft", does: "Ten channels back", run: move(-10) },
  ]);
  if (!shown) return null;
  return (
    <section class="panel" aria-labelledby="channel-title">
      <div class="panel-head">
        <h2 id="channel-title">Range per channel</h2>
        <span class="note">{layout?.n ?? 0} channels, {shown.stage.replaceAll("_", " ")}{shown.channels.explanation ? `; ${shown.channels.explanation}` : ""}</span>
      </div>
      <div class="channels" ref={ref} role="img" aria-label={`Ranges of ${layout?.n ?? 0} channels. ${shown.channels.explanation}`}>
        {layout && (
          <svg class="chart" height={height}>
            {ticks(...layout.y.domain, 6).map((t) => (
              <g key={t}>
                <path class={t === 0 ? "axis" : "grid"} d={`M${layout.box.l} ${Math.round(layout.y(t)) + 0.5}H${layout.box.r}`} />
                <text x={layout.box.l - 6} y={layout.y(t) + 4} text-anchor="end">{significant(t, 3)}</text>
              </g>
            ))}
            {layout.lows.map((low, i) => {
              const high = layout.highs[i] ?? NaN;
              if (!Number.isFinite(low) || !Number.isFinite(high)) return null;
              const px = Math.round(layout.x(i)) + 0.5;
              return <path key={i} class={`range-a${i === picked ? " picked" : ""}`} d={`M${px} ${layout.y(low).toFixed(1)}V${layout.y(high).toFixed(1)}`}
                stroke-width={layout.x(1) - layout.x(0) < 3.5 ? 1 : 2} />;
            })}
            {layout.lows.map((low, i) => (
              <rect key={i} class="hit" data-channel={i} x={layout.x(i - 0.5)} y={layout.box.t} width={layout.x(1) - layout.x(0)} height={layout.box.b - layout.box.t}
                onClick={() => setQuery({ channel: String(i) })}><title>{`channel ${i}: ${significant(low)} to ${significant(layout.highs[i] ?? NaN)}`}</title></rect>
            ))}
            {shown.channels.outliers.channels.slice(0, NAMED).map((channel) => (
              <text key={channel} class="warn halo" x={layout.x(channel)} y={layout.y(layout.highs[channel] ?? 0) - 4} text-anchor="middle">{channel}</text>
            ))}
            {ticks(0, layout.n - 1, 8).filter(Number.isInteger).map((t) => <text key={t} x={layout.x(t)} y={height - 3} text-anchor="middle">{t}</text>)}
          </svg>
        )}
      </div>
      {Number.isInteger(picked) && layout && picked < layout.n && (
        <dl class="facts">
          <div><dt>channel</dt><dd>{picked}</dd></div>
          <div><dt>least</dt><dd>{significant(layout.lows[picked] ?? NaN)}</dd></div>
          <div><dt>greatest</dt><dd>{significant(layout.highs[picked] ?? NaN)}</dd></div>
          <div><dt>mean</dt><dd>{significant(toNumber(shown.channels.mean[picked] ?? null))}</dd></div>
        </dl>
      )}
    </section>
  );
}
