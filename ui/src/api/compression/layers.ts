// Requests for the ranked layers of a pair and for their channels. The server ranks the layers.
import { booleans, list, nullable, number, numbers, object, string, strings, wireNumbers, type TypeOf } from "../shape";

/** The variants whose layers were logged. */
export const sidesShape = object({
  snapshot: number,
  models: strings,
  variants: strings,
  /** For each variant: its name in the comparison table ("float", "quantized") if it differs from the name here. */
  table_variants: strings,
  runs: strings,
  tensor_counts: numbers,
});
export type SidesResponse = TypeOf<typeof sidesShape>;

const verifiedShape = object({
  summary: string,
  ends: strings,
  samples: number,
  texts: strings,
  parts: list(object({ layers: strings, tensors: strings })),
  sqnr_db: wireNumbers,
  gains_db: wireNumbers,
  why_not: strings,
  /** Index of the run that shows which parts to keep in float. */
  best: nullable(number),
});
/** The result of `compare --verify`. */
export type VerifiedResponse = TypeOf<typeof verifiedShape>;

const layerColumnsShape = object({
  names: strings,
  variant_names: strings,
  roles: strings,
  parameters: strings,
  depths: numbers,
  a_runs: strings,
  a_tags: strings,
  b_runs: strings,
  b_tags: strings,
  paired_by: strings,
  levels: strings,
  causes: strings,
  cause_texts: strings,
  cause_headlines: strings,
  carried_from: strings,
  fixes: strings,
  explanations: strings,
  severities: wireNumbers,
  times_median: wireNumbers,
  from_logged: booleans,
  judged_by: strings,
  judged_db: wireNumbers,
  judged_is_bound: booleans,
  red_db: wireNumbers,
  amber_db: wireNumbers,
  bits: numbers,
  as_8_bits_db: wireNumbers,
  sqnr_db: wireNumbers,
  worst_channel_sqnr_db: wireNumbers,
  worst_channel: wireNumbers,
  accumulated_sqnr_db: wireNumbers,
  cosine: wireNumbers,
  mse: wireNumbers,
  bytes: wireNumbers,
  score_alone: wireNumbers,
  restored_alone_db: wireNumbers,
  sqnr_at_most_db: wireNumbers,
  w1_by_sigma: wireNumbers,
  range_ratio: wireNumbers,
  mean_shift_by_sigma: wireNumbers,
  kl: wireNumbers,
  clipped_share: wireNumbers,
  codes_used: wireNumbers,
  fallback_operations: strings,
});

export const layersShape = object({
  snapshot: number,
  model: string,
  a: string,
  b: string,
  /** Explains why the histograms of this pair are not compared, and what to log instead; empty if they are compared. */
  not_measured: string,
  /** The verdict of a comparison of model files on the outputs of the model. */
  outputs: nullable(object({ level: string, sentence: string })),
  /** Whether depths are positions in a logged graph; otherwise they are positions in the log. */
  order: string,
  counts: object({ red: number, amber: number, green: number, unmeasured: number }),
  limits: object({ red_db: number, amber_db: number, bits: number }),
  layers: layerColumnsShape,
  /** The results of `compare --verify`; null if it did not run. */
  verified: nullable(verifiedShape),
  a_only: strings,
  b_only: strings,
  problems: strings,
});
export type LayersResponse = TypeOf<typeof layersShape>;

/** Quantizer settings that keep layers in FP32. */
export const keepFloatShape = object({ toolchains: strings, titles: strings, snippets: strings });
export type KeepFloatResponse = TypeOf<typeof keepFloatShape>;

const channelsOfStageShape = object({
  min: wireNumbers,
  max: wireNumbers,
  mean: wireNumbers,
  sqnr_db: wireNumbers,
  /** A tag whose step is the channel index, and the channels that have a histogram. */
  histograms: nullable(object({ run: string, tag: string, channels: numbers })),
  outliers: object({ channels: numbers, ratios: wireNumbers }),
  explanation: string,
});
export type ChannelColumns = TypeOf<typeof channelsOfStageShape>;

export const channelsShape = object({
  stages: list(object({ experiment: string, stage: string, channels: channelsOfStageShape })),
});
export type ChannelsResponse = TypeOf<typeof channelsShape>;
