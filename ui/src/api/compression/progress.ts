// The progress of a running tuning, as docs/formats/tuning-progress.md describes it.
import { boolean, list, nullable, number, object, string, strings, type TypeOf } from "../shape";

const revertedShape = object({
  name: string,
  op_type: string,
  change: string,
  gain_db: nullable(number),
  bytes: number,
  cost_ms: nullable(number),
  cause: string,
  explanation: string,
});
export type Reverted = TypeOf<typeof revertedShape>;

const searchTrialShape = object({
  number,
  run: string,
  note: string,
  accuracy: nullable(number),
  failure: string,
  size_bytes: number,
  latency_ms: nullable(number),
  speedup: nullable(number),
  end_sqnr_db: nullable(number),
  seconds: number,
  is_met: boolean,
  is_pareto: boolean,
  reverted: list(revertedShape),
});
export type SearchTrial = TypeOf<typeof searchTrialShape>;

export const progressOfTuningShape = object({
  version: number,
  phase: string,
  step: string,
  output: string,
  metric: string,
  better: string,
  objective: string,
  goals: object({ max_drop: nullable(string), max_size_bytes: nullable(number), min_speedup: nullable(number) }),
  limit: nullable(number),
  evaluations: number,
  max_evaluations: number,
  measurements: number,
  elapsed_seconds: number,
  left_seconds: nullable(number),
  baseline: nullable(object({ accuracy: nullable(number), failure: string, size_bytes: number })),
  trials: list(searchTrialShape),
  best: nullable(number),
  is_met: nullable(boolean),
  reason: string,
  next_step: string,
  can_stop: boolean,
});
export type TuningProgress = TypeOf<typeof progressOfTuningShape>;

export const stopShape = object({ requested: boolean });
export const plainTextShape = object({ wall_times: list(number), texts: list(strings) });
export const textTagsShape = object({ runs: strings, names: strings, run_lists: list(list(number)) });
