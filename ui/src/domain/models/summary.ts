// Requests the verdicts of all models.
import { getJson, postJson } from "../../api/client";
import { readSummary, summaryShape, type Summary } from "../../api/compression/summary";

/** `weights` are those of AURORA as in the address; null for the defaults. */
export async function loadSummary(
  a: string,
  b: string,
  policy: string,
  signal: AbortSignal,
  weights: string | null = null,
): Promise<Summary> {
  const query = { a, b, policy, ...(weights === null ? {} : { weights }) };
  return readSummary(await getJson(summaryShape, "compression/summary", query, signal));
}

/** Requests the key metrics of the given models. */
export async function loadSummaryOf(
  models: readonly string[],
  pair: { readonly a: string; readonly b: string; readonly policy: string },
  signal: AbortSignal,
): Promise<Summary> {
  return readSummary(await postJson(summaryShape, "compression/summary", { ...pair, models }, signal));
}
