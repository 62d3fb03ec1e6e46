// Texts about the progress that `compression-board tune` logs. Pure functions.
import { progressOfTuningShape, type TuningProgress } from "../../api/compression/progress";
import { readOrNull } from "../../api/shape";
import { bytes, duration, significant } from "../../base/text/format";

export function readProgress(text: string): TuningProgress | null {
  try {
    return readOrNull(progressOfTuningShape, JSON.parse(text));
  } catch {
    return null;
  }
}

const ENDED = ["finished", "stopped", "failed"];

export const isRunning = ({ phase }: TuningProgress): boolean => !ENDED.includes(phase);

/** The goals of the search as text: "agreement 0.99 or more (at most 1% lost), at most 4 MB". */
export function goalText({ goals, limit, metric, better }: TuningProgress): string {
  const least = limit === null ? "" : `${metric} ${significant(limit)} or ${better === "lower" ? "less" : "more"}`;
  const drop = goals.max_drop === null ? "" : `at most ${goals.max_drop} lost`;
  return [
    least && drop ? `${least} (${drop})` : least || drop,
    goals.max_size_bytes === null ? "" : `at most ${bytes(goals.max_size_bytes)}`,
    goals.min_speedup === null ? "" : `at least ${significant(goals.min_speedup)}× as fast`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** The state of the search as text: "trial 2; 1 of at most 5 evaluations, 24 measurements; about 44 s left". */
export function stateText(progress: TuningProgress): string {
  const { step, evaluations, max_evaluations, measurements, elapsed_seconds, left_seconds } = progress;
  return [
    isRunning(progress) ? step : "",
    `${evaluations} of at most ${max_evaluations} evaluations, ${measurements} measurements without labels`,
    isRunning(progress)
      ? left_seconds === null
        ? `${duration(elapsed_seconds)} so far`
        : `about ${duration(left_seconds)} left`
      : `took ${duration(elapsed_seconds)}`,
  ]
    .filter(Boolean)
    .join("; ");
}

/** The allowed relative loss of the baseline's metric; null if the search has no such goal, or if lower is better. */
export function allowedLoss({ limit, baseline, better }: TuningProgress): number | null {
  const base = baseline?.accuracy ?? null;
  if (limit === null || base === null || base <= 0 || better === "lower") return null;
  return Math.max(0, 1 - limit / base);
}
