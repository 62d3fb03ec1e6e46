// Requests for parts of the Compare, Tuning and Hardware pages: bytes per layer, metrics per class, settings, trials,
// phases.
import {
  boolean,
  booleans,
  either,
  list,
  nullable,
  number,
  numbers,
  object,
  oneOf,
  record,
  string,
  strings,
  wireNumbers,
  type TypeOf,
} from "../shape";

export const bytesShape = object({
  source: oneOf("logged", "graphs", "none"),
  layers: object({ names: strings, a: wireNumbers, b: wireNumbers }),
  problems: strings,
});
export type BytesResponse = TypeOf<typeof bytesShape>;

export const classesShape = object({
  snapshot: number,
  classes: object({ metrics: strings, names: strings, a: wireNumbers, b: wireNumbers, drops: wireNumbers }),
});
export type ClassesResponse = TypeOf<typeof classesShape>;

const settingShape = nullable(either(either(number, boolean), string));
export type Setting = TypeOf<typeof settingShape>;

export const configShape = object({
  settings: object({ names: strings, a: list(settingShape), b: list(settingShape), differ: booleans }),
});

const timelineShape = object({
  experiment: string,
  model: string,
  runs: strings,
  numbers: numbers,
  accuracies: wireNumbers,
  best_so_far: wireNumbers,
  changes: wireNumbers,
  relative_changes: wireNumbers,
  first_wall_times: numbers,
  durations: wireNumbers,
  settings: list(record(settingShape)),
  setting_changes: list(list(object({ name: string, from: settingShape, to: settingShape }))),
  baseline: nullable(number),
  best: nullable(number),
});
/** The trials of one tuning. */
export type TrialTimeline = TypeOf<typeof timelineShape>;
export const tuningShape = object({ snapshot: number, timelines: list(timelineShape) });
export type TuningResponse = TypeOf<typeof tuningShape>;

export const hardwareShape = object({
  snapshot: number,
  devices: object({ runs: strings, texts: strings }),
  phases: object({ runs: strings, names: strings, wall_times: numbers }),
});
export type HardwareResponse = TypeOf<typeof hardwareShape>;
