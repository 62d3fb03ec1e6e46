// Converts curves to the lines of a chart. With one tag, each run is a line in the run's usual look. With several tags,
// the colour shows the run and the dashes show the tag.
import type { Groups } from "../../api/scalars";
import { toNumber } from "../../api/shape";
import type { Curve } from "../../api/series";
import { smoothed, type Line } from "../line/layout";
import { chooseLooks, ownLook } from "../../domain/runs/look_choice";
import { lookOf, type RunLook } from "../../domain/runs/run_look";
import { count, duration } from "../../base/text/format";
import { distinctNames } from "../../base/text/distinct";
import { shortNames } from "../../base/text/short_names";
import { titleOf } from "../../domain/runs/run_titles";

/**
 * The names of lines that are shown together. Names given by the user are unchanged. Other names are shortened as long
 * as they stay different.
 */
export function shownNames(lines: readonly Line[]): string[] {
  const short = shortNames(lines.map(({ name }) => name));
  const distinct = distinctNames(short);
  return lines.map(({ name }, i) => {
    const tail = short[i] ?? name;
    return titleOf(name) === name ? (distinct.get(tail) ?? tail) : titleOf(name);
  });
}

export type Axis = "step" | "relative" | "wall";

const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 2], [8, 3, 2, 3]];
const COLOURS = 8;
const MAX_TOLD_APART = 200; // More lines cannot be told apart by their looks.

/** Name and look of the line of one run and tag, in a chart of `tags`; `alone` if the chart has no other run. */
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

/** Smoothed values from the server, by keyOfCurve(). */
export type ServedSmooth = ReadonlyMap<string, ArrayLike<number>>;

/**
 * Whether the curve has only some points of the log. The page must not smooth such a curve, because the result would
 * differ from the smoothing over all points by the server.
 */
export const isSample = (curve: Curve): boolean => !curve.error && curve.steps.length < curve.total;

/**
 * Smoothing uses all points of the log. A complete curve is smoothed here, with the same result as the server's. A
 * sampled curve is smoothed by the server, and is drawn unsmoothed until the response arrives.
 */
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
  const runs = new Set(curves.map(({ run }) => run)).size;
  const alone = runs < 2;
  const lines = curves.flatMap((curve) => {
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
  if (tags.length < 2 || runs <= COLOURS || lines.length > MAX_TOLD_APART) return lines;
  // With more runs than colours, the dashes cannot show the tag: two runs would have the same look.
  const looks = chooseLooks(
    lines.map(({ name }) => name),
    new Map(),
  );
  return lines.map((line) => ({ ...line, look: looks.get(line.name) ?? ownLook(line.name) }));
}

/** The mean of each group of runs, with a band of one standard deviation on both sides. */
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

/**
 * Whether the steps of these runs are channel numbers: some toolkits log one value per channel as if channels were
 * steps. Such lines are not smoothed, because channels are not a sequence in time.
 */
export const areChannels = (runs: readonly string[]): boolean =>
  runs.length > 0 && runs.every((run) => PER_CHANNEL.test(run));

/** The name of a run with one value per channel, without "_per_channel", because the axis already shows channels. */
export const withoutChannel = (name: string): string => name.replace(PER_CHANNEL, "");

const MINUTE = 60;
const DAY = 86_400;

/**
 * The text of an x value. `step` is the distance of the tick labels on the axis in seconds; If it is 0, the text is not
 * on an axis and contains date and time completely.
 */
export function xText(axis: Axis): (x: number, step?: number) => string {
  // Labels integer steps only.
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
