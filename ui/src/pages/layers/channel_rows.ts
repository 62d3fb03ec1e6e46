// Statistics by channel: of both variants of a comparison, or of one stage of a stage log. Pure functions.
import type { ChannelColumns, ChannelsResponse } from "../../api/compression/layers";
import { toNumber } from "../../api/shape";
import { extent, linearScale, padded, type Scale } from "../../base/math/scale";

export interface ChannelSide {
  readonly name: string;
  readonly min: readonly number[];
  readonly max: readonly number[];
  readonly mean: readonly number[];
  /** SQNR of each channel; empty if it was not logged. */
  readonly sqnr: readonly number[];
  /** The histograms of some channels. They are logged under one tag, and the step is the channel index. */
  readonly histograms: ChannelColumns["histograms"];
  readonly outliers: readonly number[];
  readonly explanation: string;
}

/** The variants A and B if both were logged; otherwise only the last stage, with the name of its log. */
export function sidesOf(
  response: ChannelsResponse,
  a: string,
  b: string,
): readonly [ChannelSide, ChannelSide | null] | null {
  const read = ({ stage, channels }: ChannelsResponse["stages"][number]): ChannelSide => ({
    name: stage.replaceAll("_", " "),
    min: channels.min.map(toNumber),
    max: channels.max.map(toNumber),
    mean: channels.mean.map(toNumber),
    sqnr: channels.sqnr_db.map(toNumber),
    histograms: channels.histograms,
    outliers: channels.outliers.channels,
    explanation: channels.explanation,
  });
  const before = response.stages.findLast(({ stage }) => stage === a);
  const after = response.stages.findLast(
    ({ stage, experiment }) => stage === b && (before === undefined || experiment === before.experiment),
  );
  if (before && after) return [read(before), read(after)];
  const last = response.stages.findLast(({ stage }) => stage !== a && stage !== b) ?? response.stages.at(-1);
  return last ? [{ ...read(last), name: `${last.stage.replaceAll("_", " ")} in ${last.experiment}` }, null] : null;
}

/**
 * The channel to show first: the channel with the lowest SQNR. If no SQNR was logged, the channel with the largest
 * outlier, otherwise the channel whose range changed most. Null if there is no such channel.
 */
export function channelToName([a, b]: readonly [ChannelSide, ChannelSide | null]): number | null {
  const lowest = (b?.sqnr ?? []).reduce<number | null>(
    (least, db, i) => (db < (least === null ? Infinity : (b?.sqnr[least] ?? Infinity)) ? i : least),
    null,
  );
  if (lowest !== null) return lowest;
  if (a.outliers[0] !== undefined) return a.outliers[0];
  if (!b) return null;
  let [channel, most]: [number | null, number] = [null, 0];
  a.min.forEach((low, i) => {
    const width = (a.max[i] ?? NaN) - low;
    const change = Math.abs((b.max[i] ?? NaN) - (b.min[i] ?? NaN) - width) / width;
    if (width > 0 && change > most) [channel, most] = [i, change];
  });
  return channel;
}

export interface RibbonLayout {
  readonly box: { l: number; r: number; t: number; b: number };
  readonly n: number;
  readonly x: Scale;
  readonly y: Scale;
}

export function layoutRibbon(
  [a, b]: readonly [ChannelSide, ChannelSide | null],
  width: number,
  height: number,
): RibbonLayout | null {
  const range = extent([a, b].flatMap((side) => (side ? [...side.min, ...side.max] : [])));
  if (!range || width < 80) return null;
  const box = { l: 44, r: width - 10, t: 10, b: height - 18 };
  const n = Math.max(a.min.length, a.max.length);
  return { box, n, y: linearScale(...padded(range), box.b, box.t), x: linearScale(-0.5, n - 0.5, box.l, box.r) };
}
