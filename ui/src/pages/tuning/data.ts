// Tuning timelines of the server, in the form that the table and the chart need.
import type { TrialTimeline } from "../../api/compression/panels";
import { toNumber } from "../../api/shape";
import { asFraction } from "../../domain/models/gates";

export interface Trial {
  readonly name: string; // "baseline", "tune_3".
  readonly run: string;
  readonly number: number;
  readonly accuracy: number | null; // The accuracy as a fraction.
  readonly change: number | null;
  readonly duration: number;
  readonly begun: number; // Seconds after the start of the first trial.
  readonly isBaseline: boolean;
  readonly isBest: boolean;
  readonly passes: boolean | null; // Whether the trial meets the target; null without an accuracy.
  readonly changed: string; // Settings that differ from the previous trial.
  /** All settings that differ from the best trial; empty for the best trial. */
  readonly fromBest: readonly { readonly name: string; readonly here: string; readonly best: string }[];
}

/** neural-compressor's default accuracy criterion: at most 1 % relative loss. */
export const DEFAULT_TARGET = 0.01;

export function readTrials(timeline: TrialTimeline, target: number): Trial[] {
  const accuracyOf = (i: number): number | null => {
    const value = timeline.accuracies[i];
    return value === null || value === undefined ? null : asFraction(toNumber(value));
  };
  const best = timeline.best === null ? undefined : timeline.settings[timeline.best];
  const start = Math.min(...timeline.first_wall_times.filter(Number.isFinite));
  const base = timeline.baseline === null ? null : accuracyOf(timeline.baseline);
  return timeline.runs.map((run, i) => {
    const accuracy = accuracyOf(i);
    return {
      name: i === timeline.baseline ? "baseline" : `tune_${timeline.numbers[i]}`,
      run,
      number: timeline.numbers[i] ?? 0,
      accuracy,
      change: accuracy === null || base === null ? null : accuracy - base,
      duration: toNumber(timeline.durations[i] ?? 0),
      isBaseline: i === timeline.baseline,
      isBest: i === timeline.best,
      passes: accuracy === null || base === null ? null : accuracy >= base * (1 - target),
      begun: (timeline.first_wall_times[i] ?? start) - start,
      changed: describeChanges(timeline.setting_changes[i] ?? []),
      fromBest: i === timeline.baseline || !best ? [] : differences(timeline.settings[i] ?? {}, best),
    };
  });
}

type Settings = TrialTimeline["settings"][number];

function differences(here: Settings, best: Settings): Trial["fromBest"] {
  const text = (value: Settings[string] | undefined): string =>
    value === null || value === undefined ? "not set" : String(value);
  return [...new Set([...Object.keys(best), ...Object.keys(here)])]
    .sort()
    .filter((name) => here[name] !== best[name])
    .map((name) => ({ name, here: text(here[name]), best: text(best[name]) }));
}

const MAX_CHANGES = 2; // The max number of settings in a row of the table.

function describeChanges(changes: TrialTimeline["setting_changes"][number]): string {
  const words = changes.slice(0, MAX_CHANGES).map(({ name, to }) => (to === null ? `${name} gone` : `${name} = ${to}`));
  const rest = changes.length - words.length;
  return words.join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}
