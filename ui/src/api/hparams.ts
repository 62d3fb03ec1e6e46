// Requests for trials with their hyperparameters and metrics.
import { boolean, either, list, nullable, number, object, string, strings, wireNumbers, type TypeOf } from "./shape";

const value = either(either(number, boolean), string);
export type HParamValue = TypeOf<typeof value>;

export const hparamsShape = object({
  snapshot: number,
  description: string,
  total: number,
  hparams: object({
    names: strings,
    labels: strings,
    descriptions: strings,
    types: strings,
    values: list(list(nullable(value))),
  }),
  metrics: object({
    groups: strings,
    tags: strings,
    labels: strings,
    descriptions: strings,
    values: list(wireNumbers),
  }),
  groups: object({ names: strings, statuses: strings, start_times: list(nullable(number)), runs: list(strings) }),
  problems: strings,
});
export type HParamsResponse = TypeOf<typeof hparamsShape>;
