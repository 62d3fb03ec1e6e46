// Requests for images, sounds, texts, meshes, embeddings and PR curves.
import { damagedValueShape } from "./board";
import { booleans, list, nullable, numbers, object, strings, wireNumbers, type TypeOf } from "./shape";

export const imagesShape = object({
  indices: numbers,
  steps: numbers,
  wall_times: numbers,
  widths: numbers,
  heights: numbers,
  samples: numbers,
  /** The number of values that could not be decoded as images; the columns do not contain them. */
  damaged: list(damagedValueShape),
});
export type ImagesResponse = TypeOf<typeof imagesShape>;

export const audioShape = object({
  indices: numbers,
  steps: numbers,
  samples: numbers,
  content_types: strings,
  /** The number of values that could not be decoded as sounds; the columns do not contain them. */
  damaged: list(damagedValueShape),
});

export const textShape = object({
  steps: numbers,
  wall_times: numbers,
  shapes: list(numbers),
  texts: list(strings),
  html: strings,
});
export type TextResponse = TypeOf<typeof textShape>;

export const meshesShape = object({ runs: strings, names: strings, tags: list(strings) });

export const meshStepsShape = object({ steps: numbers, parts: strings, shapes: list(numbers), configs: strings });

export const embeddingsShape = object({
  runs: strings,
  names: strings,
  shapes: list(numbers),
  have_metadata: booleans,
  sprites: list(nullable(numbers)),
});
export type EmbeddingsResponse = TypeOf<typeof embeddingsShape>;

export const prCurvesShape = object({
  steps: numbers,
  thresholds: list(wireNumbers),
  precision: list(wireNumbers),
  recall: list(wireNumbers),
  true_positives: list(wireNumbers),
  false_positives: list(wireNumbers),
  false_negatives: list(wireNumbers),
});
export type PrResponse = TypeOf<typeof prCurvesShape>;
