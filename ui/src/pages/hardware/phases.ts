// Phases of the program while the hardware was monitored. Pure.
import type { HardwareResponse } from "../../api/compression/panels";
import { summarize, type Lane, type Summary } from "./lanes";

export interface Phase {
  readonly name: string;
  readonly from: number; // Seconds after the first sample.
  readonly to: number;
}

/** In the order of time; the last one ends with the run. Those of no length are left out. */
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
  readonly seconds: ArrayLike<number>; // After the first sample of the run.
  readonly values: ArrayLike<number>;
}

/** A lane during a phase; null without a sample in it. */
export function during({ seconds, values }: Samples, { from, to }: Phase): Summary | null {
  const inside = Array.from(seconds, (at, i) => (at >= from && at < to ? i : -1)).filter((i) => i >= 0);
  return summarize(
    inside.map((i) => seconds[i] ?? 0),
    inside.map((i) => values[i] ?? NaN),
  );
}

/** Whether a lane tells nothing over time: it never moved, and is no share of a whole, which is told all the same. */
export function isStill({ lane, values }: Samples): boolean {
  if (lane.unit === "%") return false;
  const finite = Array.from(values).filter(Number.isFinite);
  return finite.every((value) => value === finite[0]);
}
