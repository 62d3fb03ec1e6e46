import { type TextResponse, textShape } from "../../api/media";
import { getJson } from "../../api/client";

const MAX_STEPS = 50;

export function loadTexts(run: string, tag: string, signal: AbortSignal): Promise<TextResponse> {
  return getJson(textShape, "text", { run, tag, limit: MAX_STEPS, html: "true" }, signal);
}

/** The tag that the user gave, without the suffix that writers add. */
export const titleOf = (tag: string): string => tag.replace(/\/text_summary$/, "");
