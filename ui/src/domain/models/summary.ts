// Asks for the verdicts of all models.
import { getJson } from "../../api/client";
import { readSummary, summaryShape, type Summary } from "../../api/compression/summary";

export async function loadSummary(a: string, b: string, policy: string, signal: AbortSignal): Promise<Summary> {
  return readSummary(await getJson(summaryShape, "compression/summary", { a, b, policy }, signal));
}
