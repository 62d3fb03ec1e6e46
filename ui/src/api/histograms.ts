// Requests for histograms, and for percentiles computed from them.
import { list, number, numbers, object, optional, string, wireNumber, wireNumbers, type TypeOf } from "./shape";

/** The histograms of all steps, converted to common bins. */
export const barsShape = object({
  steps: numbers,
  edges: wireNumbers,
  counts: list(wireNumbers),
  num: wireNumbers,
});

/** The histograms of all steps, in the bins that were logged. */
export const loggedBinsShape = object({
  steps: numbers,
  lefts: list(wireNumbers),
  rights: list(wireNumbers),
  counts: list(wireNumbers),
});

export const distributionsShape = object({
  steps: numbers,
  basis_points: numbers,
  percentiles: list(wireNumbers),
});
export type Distributions = TypeOf<typeof distributionsShape>;

/** Several histograms, converted to common bins. */
export const overlayShape = object({
  edges: wireNumbers,
  series: list(
    object({
      run: string,
      step: optional(number),
      counts: optional(wireNumbers),
      num: optional(wireNumber),
      min: optional(wireNumber),
      max: optional(wireNumber),
      mean: optional(wireNumber),
      deviation: optional(wireNumber),
      error: optional(object({ message: string })),
    }),
  ),
});
export type OverlayResponse = TypeOf<typeof overlayShape>;
