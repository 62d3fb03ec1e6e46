// One channel of a tensor: its range, its SQNR and its values, in both variants.
import { overlayShape } from "../../api/histograms";
import { toNumber } from "../../api/shape";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { postJson } from "../../api/client";
import { HistogramChart } from "../../charts/histogram/HistogramChart";
import { count, significant } from "../../base/text/format";
import { setQuery } from "../../base/address";
import { dbWithUnit } from "../../domain/layers/decibels";
import { useResource } from "../../domain/live/resource";
import { shellFolder } from "../../domain/live/Snippet";
import type { ChannelSide } from "./channel_rows";

type Sides = readonly [ChannelSide, ChannelSide | null];

/** The histograms of the channel in A and in B, with the same bins. */
function Values({ sides: [a, b], channel }: { sides: Sides; channel: number }): JSX.Element {
  const body = {
    series: [a, b].flatMap((side) => (side?.histograms ? [[side.histograms.run, side.histograms.tag, channel]] : [])),
  };
  const { state, retry } = useResource(JSON.stringify(body), (signal) =>
    postJson(overlayShape, "histograms/overlay", body, signal),
  );
  const { data, error } = state.value;
  const input = useMemo(
    () =>
      data
        ? {
            edges: data.edges.map(toNumber),
            a: data.series[0]?.counts?.map(toNumber) ?? null,
            b: data.series[1]?.counts?.map(toNumber) ?? null,
          }
        : null,
    [data],
  );
  if (error && !data)
    return (
      <p class="trouble">
        {error.message}{" "}
        <button class="link" onClick={retry}>
          Try again
        </button>
      </p>
    );
  const nameB = b?.name ?? "";
  return (
    <>
      <p class="note">
        Values of channel {channel}: <span class="in-a">● {a.name}</span>, <span class="in-b">◆ {nameB}</span>
        {data ? `; share of ${count(toNumber(data.series[0]?.num ?? null))} values` : ""}
      </p>
      {input ? (
        <HistogramChart
          input={input}
          view="linear"
          nameA={a.name}
          nameB={nameB}
          clip={null}
          summary={`Values of channel ${channel} in ${a.name} and in ${nameB}`}
        />
      ) : (
        <div class="histogram" aria-busy="true" />
      )}
    </>
  );
}

/** A note that lists the channels that have a histogram, and says how to log others. */
function NotLogged({ logged }: { logged: readonly number[] }): JSX.Element {
  if (logged.length > 0)
    return (
      <p class="note">
        The values of this channel were not logged. The logs have the values of channel{" "}
        {logged.map((channel, i) => (
          <>
            {i > 0 ? ", " : ""}
            <button key={channel} class="link" onClick={() => setQuery({ channel: String(channel) })}>
              {channel}
            </button>
          </>
        ))}
        , the channels with the lowest SQNR.
      </p>
    );
  return (
    <p class="note">
      The SQNR and values of channels were not logged.{" "}
      <code>compression-board compare A B --logdir {shellFolder()}</code> logs the SQNR of all channels, and the values
      of the worst channels of damaged layers.
    </p>
  );
}

export function ChannelDetail({
  sides,
  channel,
  isWorst,
  isOutput,
}: {
  sides: Sides;
  channel: number;
  isWorst: boolean;
  /** The output of a layer contains the errors of all layers before it. */
  isOutput: boolean;
}): JSX.Element {
  const [a, b] = sides;
  const sqnr = b?.sqnr[channel] ?? NaN;
  const logged = a.histograms && b?.histograms ? a.histograms.channels : [];
  return (
    <>
      <dl class="facts channel-facts">
        <div>
          <dt>{isWorst ? "worst channel" : "channel"}</dt>
          <dd>{channel}</dd>
        </div>
        <div>
          <dt title={isOutput ? "With the errors of all layers before" : ""}>SQNR{isOutput ? ", accumulated" : ""}</dt>
          <dd>{Number.isNaN(sqnr) ? "not logged" : dbWithUnit(sqnr)}</dd>
        </div>
        {(["min", "max", "mean"] as const).map((key) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>
              {significant(a[key][channel] ?? NaN)}
              {b ? (
                <>
                  {" "}
                  → <span class="in-b">{significant(b[key][channel] ?? NaN)}</span>
                </>
              ) : (
                ""
              )}
            </dd>
          </div>
        ))}
      </dl>
      {logged.includes(channel) ? (
        <Values key={channel} sides={sides} channel={channel} />
      ) : (
        (logged.length > 0 || Number.isNaN(sqnr)) && <NotLogged logged={logged} />
      )}
    </>
  );
}
