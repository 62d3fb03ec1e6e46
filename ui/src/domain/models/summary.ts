// Requests the verdicts of all models.
import { getJson, postJson } from "../../api/client";
import { readSummary, summaryShape, type Summary } from "../../api/compression/summary";

export async function loadSummary(a: string, b: string, policy: string, signal: AbortSignal): Promise<Summary> {
  return readSummary(await getJson(summaryShape, "compression/summary", { a, b, policy }, signal));
}

/** Requests the key metrics of the given models. */
export async function loadSummaryOf(
  models: readonly string[],
  pair: { readonly a: string; readonly b: string; readonly policy: string },
  signal: AbortSignal,
): Promise<Summary> {
  return readSummary(await postJson(summaryShape, "compression/summary", { ...pair, models }, signal));
}
