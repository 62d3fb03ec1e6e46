// Asks for the verdicts of all models.
import { getJson } from "../api/client";
import { readSummary, type Summary, type SummaryAnswer } from "../api/summary";

export async function loadSummary(a: string, b: string, policy: string, signal: AbortSignal): Promise<Summary> {
  return readSummary(await getJson<SummaryAnswer>("compression/summary", { a, b, policy }, signal));
}
