import { getJson } from "../../api/client";

export interface TextAnswer {
  steps: number[];
  wall_times: number[];
  shapes: number[][];
  texts: string[][];
  html: string[];
}

const MOST_STEPS = 50;

export function loadTexts(run: string, tag: string, signal: AbortSignal): Promise<TextAnswer> {
  return getJson<TextAnswer>("text", { run, tag, limit: MOST_STEPS, html: "true" }, signal);
}

/** The tag as it was given; writers add this to it. */
export const titleOf = (tag: string): string => tag.replace(/\/text_summary$/, "");
