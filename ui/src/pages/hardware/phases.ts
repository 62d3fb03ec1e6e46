// The phases of a program whose hardware usage was monitored. Pure functions.
import type { HardwareResponse } from "../../api/compression/panels";
import { summarize, type Lane, type Summary } from "./lanes";

export interface Phase {
  readonly name: string;
  readonly from: number; // Seconds after the first measurement.
  readonly to: number;
}

/** The phases in the order of time; the last one ends with the run. Phases of length 0 are left out. */
export function phasesOf({ phases }: HardwareResponse, run: string, start: number, end: number): Phase[] {
  const begins = phases.names
    .flatMap((name, i) => (phases.runs[i] === run ? [{ name, at: phases.wall_times[i] ?? NaN }] : []))
    .filter(({ at }) => Number.isFinite(at) && at < end)
    .sort((p, q) => p.at - q.at);
  return begins
    .map(({ name, at }, i) => ({ name, from: Math.max(0, at - start), to: (begins[i + 1]?.at ?? end) - start }))
    .filter(({ from, to }) => to > from);
}

export interface Samples {
  readonly lane: Lane;
  readonly seconds: ArrayLike<number>; // Seconds after the first measurement of the run.
  readonly values: ArrayLike<number>;
}

/** The statistics of a lane during a phase; null if nothing was measured in it. */
export function during({ seconds, values }: Samples, { from, to }: Phase): Summary | null {
  const inside = Array.from(seconds, (at, i) => (at >= from && at < to ? i : -1)).filter((i) => i >= 0);
  return summarize(
    inside.map((i) => seconds[i] ?? 0),
    inside.map((i) => values[i] ?? NaN),
  );
}

/**
 * Whether the lane's values are constant. Percentages are never treated as constant, because a constant percentage is
 * informative.
 */
export function isStill({ lane, values }: Samples): boolean {
  if (lane.unit === "%") return false;
  const finite = Array.from(values).filter(Number.isFinite);
  return finite.every((value) => value === finite[0]);
}
