// The searches of `compression-board tune` in the log directories.
import { plainTextShape, textTagsShape, type TuningProgress } from "../../api/compression/progress";
import { getJson } from "../../api/client";
import { readProgress } from "./progress";

export interface Search {
  readonly run: string;
  readonly progress: TuningProgress;
  /** The time of the newest state, in seconds since 1970. */
  readonly time: number;
}

const TAG = /^tuning\/progress(\/text_summary)?$/;

/** The newest state of every search. States that this page cannot parse are left out. */
export async function loadSearches(signal: AbortSignal): Promise<readonly Search[]> {
  const tags = await getJson(textTagsShape, "tags", { kind: "text" }, signal);
  const searches = tags.names.flatMap((tag, i) =>
    TAG.test(tag) ? (tags.run_lists[i] ?? []).map((r) => ({ tag, run: tags.runs[r] ?? "" })) : [],
  );
  const states = await Promise.all(
    searches.map(async ({ tag, run }): Promise<Search[]> => {
      // The first and the last step.
      const { texts, wall_times } = await getJson(plainTextShape, "text", { run, tag, limit: 2 }, signal);
      const progress = readProgress(texts.at(-1)?.[0] ?? "");
      return progress ? [{ run, progress, time: wall_times.at(-1) ?? 0 }] : [];
    }),
  );
  return states.flat();
}
