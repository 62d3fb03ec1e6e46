// Curves as lines of a chart. One tag: a line per run, which looks as the run does everywhere. Several
// tags in one chart: the colour stays the run's, and dashes tell the tags apart.
import type { Groups } from "../../api/scalars";
import { toNumber } from "../../api/shape";
import type { Curve } from "../../api/series";
import { smoothed, type Line } from "../line/layout";
import { lookOf, type RunLook } from "../../domain/runs/run_look";
import { count, duration } from "../../base/text/format";
import { shortNames } from "../../base/text/short_names";
import { titleOf } from "../../domain/runs/run_titles";

/** Names beside each other: given ones as they are, the others as short as tells them apart. */
export function shownNames(lines: readonly Line[]): string[] {
  const short = shortNames(lines.map(({ name }) => name));
  return lines.map(({ name }, i) => (titleOf(name) === name ? (short[i] ?? name) : titleOf(name)));
}

export type Axis = "step" | "relative" | "wall";

const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 2], [8, 3, 2, 3]];
const COLOURS = 8;

/** Name and look of one line among those of `tags`; `alone` if no other run is in the chart. */
export function lineName(
  run: string,
  tag: string,
  tags: readonly string[],
  alone: boolean,
): { readonly name: string; readonly look?: RunLook } {
  if (tags.length < 2) return { name: run };
  const at = Math.max(0, tags.indexOf(tag));
  const dash = DASHES[at % DASHES.length] ?? [];
  if (alone)
    return {
      name: tag,
      look: { colour: (at % COLOURS) + 1, dash: DASHES[Math.floor(at / COLOURS) % DASHES.length] ?? [] },
    };
  return { name: `${run} · ${tag}`, look: { colour: lookOf(run).colour, dash } };
}

function xsOf(curve: Curve, axis: Axis): ArrayLike<number> {
  if (axis === "step") return curve.steps;
  const times = curve.wallTimes();
  const first = times[0] ?? 0;
  return axis === "wall" ? times : Float64Array.from(times, (t) => t - first);
}

export const keyOfCurve = ({ run, tag }: Pick<Curve, "run" | "tag">): string => `${run}\0${tag}`;

/** Smoothed values of the server, by keyOfCurve. */
export type ServedSmooth = ReadonlyMap<string, ArrayLike<number>>;

/** Whether some points of the log are missing: smoothing without them would be another curve than the server's. */
export const isSample = (curve: Curve): boolean => !curve.error && curve.steps.length < curve.total;

/** The smoothing is over all points of the log. Curves that have them are smoothed here, which equals the server's
 * result; of the others the server smooths, and until it has answered they are drawn as they are. */
function smoothOf(curve: Curve, smoothing: number, served: ServedSmooth): Line["smooth"] {
  if (smoothing === 0) return null;
  if (!isSample(curve)) return smoothed(curve.values, smoothing);
  const values = served.get(keyOfCurve(curve));
  return values?.length === curve.values.length ? values : null;
}

export function linesOf(
  curves: readonly Curve[],
  axis: Axis,
  smoothing: number,
  tags: readonly string[] = [],
  served: ServedSmooth = new Map(),
): Line[] {
  const alone = new Set(curves.map(({ run }) => run)).size < 2;
  return curves.flatMap((curve) => {
    if (curve.error || curve.steps.length === 0) return [];
    return [
      {
        ...lineName(curve.run, curve.tag, tags, alone),
        xs: xsOf(curve, axis),
        ys: curve.values,
        smooth: smoothOf(curve, smoothing, served),
      },
    ];
  });
}

/** The mean of each group, and one standard deviation to either side. */
export function linesOfGroups(response: Groups, smoothing: number, tag = "", tags: readonly string[] = []): Line[] {
  return response.groups.flatMap((group) => {
    if (!group.x || group.x.length === 0) return [];
    const ys = Float64Array.from(group.mean ?? [], toNumber);
    const around = smoothing > 0 ? smoothed(ys, smoothing) : ys;
    const spread = Float64Array.from(group.deviation ?? [], toNumber);
    return [
      {
        ...lineName(group.name, tag, tags, response.groups.length < 2),
        xs: Float64Array.from(group.x, toNumber),
        ys,
        smooth: smoothing > 0 ? around : null,
        band: { low: around.map((y, i) => y - (spread[i] ?? 0)), high: around.map((y, i) => y + (spread[i] ?? 0)) },
      },
    ];
  });
}

/** The name of the x axis. Dates need no name. */
export const X_NAMES: Readonly<Record<Axis, string>> = { step: "step", relative: "after", wall: "" };

const PER_CHANNEL = /_per_channel$/;

/** Whether the steps of these runs are channels: some toolkits log what a tensor has in each channel as if it
 * were over time. Nothing flows from one channel to the next, so such lines are not smoothed. */
export const areChannels = (runs: readonly string[]): boolean =>
  runs.length > 0 && runs.every((run) => PER_CHANNEL.test(run));

/** Names that tell runs of channels apart, where the axis shows channels. */
export const withoutChannel = (name: string): string => name.replace(PER_CHANNEL, "");

const MINUTE = 60;
const DAY = 86_400;

/** `step` is how far apart such texts stand on an axis, in seconds; 0: it stands alone, and says everything. */
export function xText(axis: Axis): (x: number, step?: number) => string {
  // There is no step between two steps.
  if (axis === "step") return (x) => (Number.isInteger(x) ? count(x) : "");
  if (axis === "relative") return (x) => (x === 0 ? "0" : duration(x));
  const format = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
    new Intl.DateTimeFormat("en", { ...options, hourCycle: "h23" });
  const [day, minutes, seconds] = [
    { month: "short", day: "numeric" } as const,
    { hour: "2-digit", minute: "2-digit" } as const,
    { second: "2-digit" } as const,
  ];
  const [days, clock, exactClock, all] = [
    format(day),
    format(minutes),
    format({ ...minutes, ...seconds }),
    format({ ...day, ...minutes, ...seconds }),
  ];
  return (x, step = 0) => {
    const at = new Date(x * 1000);
    if (step === 0) return all.format(at);
    if (step >= DAY || (step >= MINUTE && at.getHours() === 0 && at.getMinutes() === 0)) return days.format(at);
    return (step < MINUTE ? exactClock : clock).format(at);
  };
}
