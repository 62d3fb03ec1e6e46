// The Pareto front that the server computes. See docs/rest-api.md, "Compression".
import { postJson } from "../client";
import { numbers, object, strings } from "../shape";

const paretoShape = object({ models: strings, front: numbers });

/** The names of the models that none of `models` beats in both metrics, with their values of `variant`. */
export async function loadFront(
  metrics: readonly string[],
  variant: string,
  models: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const response = await postJson(paretoShape, "compression/pareto", { metrics, variant, models }, signal);
  return new Set(response.front.map((index) => response.models[index] ?? ""));
}
