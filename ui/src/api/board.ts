// Requests for log directories, runs, files and tags. docs/rest-api.md describes every response.
import { boolean, list, nullable, number, numbers, object, optional, string, strings, type TypeOf } from "./shape";

export const progressShape = object({
  done_bytes: number,
  total_bytes: number,
  done_runs: number,
  total_runs: number,
  complete: boolean,
});
export type Progress = TypeOf<typeof progressShape>;

export const statusShape = object({
  version: string,
  window_title: string,
  snapshot: number,
  logdirs: object({ names: strings, paths: strings }),
  progress: progressShape,
  runs: number,
  tags: number,
  newest_wall_time: nullable(number),
  problems: object({ codes: strings, messages: strings }),
  damaged_runs: number,
  allow_control: optional(boolean),
});
export type Status = TypeOf<typeof statusShape>;

/** The buckets that the logs are copied from. Each list has one entry per bucket. */
export const sourcesShape = object({
  addresses: strings,
  errors: strings, // Empty: the bucket was read without an error.
  last_reads: list(nullable(number)),
});
export type Sources = TypeOf<typeof sourcesShape>;

/** A server-sent event of the server's event stream. */
export const changeShape = object({
  snapshot: number,
  progress: progressShape,
});
export type Change = TypeOf<typeof changeShape>;

/** The ids of the pages that have data to show. */
export const contentsShape = object({ pages: strings });

export const runsShape = object({
  snapshot: number,
  names: strings,
  first_wall_times: list(nullable(number)),
  newest_wall_times: list(nullable(number)),
  tag_counts: numbers,
  event_counts: numbers,
  damaged_bytes: numbers,
  failed_files: numbers,
  versions: numbers,
});
export type Runs = TypeOf<typeof runsShape>;

export const filesShape = object({
  run: string,
  paths: strings,
  sizes: numbers,
  records: numbers,
  damaged_bytes: numbers,
  torn_bytes: numbers,
  errors: list(nullable(string)),
  damage_count: number,
  damage: object({ files: numbers, offsets: numbers, bytes: numbers, reasons: strings }),
});
export type Files = TypeOf<typeof filesShape>;

const tagColumns = {
  snapshot: number,
  runs: strings,
  names: strings,
  kinds: strings,
  plugins: strings,
  display_names: strings,
  descriptions: strings,
  counts: numbers,
  min_steps: numbers,
  max_steps: numbers,
};

export const tagsShape = object({ ...tagColumns, run_lists: list(numbers) });
export type Tags = TypeOf<typeof tagsShape>;

/**
 * Used if there are many runs. For each tag: ranges of successive runs that have the tag, as first and last run index.
 */
export const rangedTagsShape = object({ ...tagColumns, run_ranges: list(numbers) });
export type RangedTags = TypeOf<typeof rangedTagsShape>;

/** A value that cannot be decoded as the kind of its tag, although its record is intact. */
export const damagedValueShape = object({ index: number, step: number, message: string });
export type DamagedValue = TypeOf<typeof damagedValueShape>;
