// Answers of the REST API, as docs/rest-api.md describes them.

export interface Progress {
  done_bytes: number;
  total_bytes: number;
  done_runs: number;
  total_runs: number;
  complete: boolean;
}

export interface Status {
  version: string;
  window_title: string;
  snapshot: number;
  logdirs: { names: string[]; paths: string[] };
  progress: Progress;
  runs: number;
  tags: number;
  newest_wall_time: number | null;
  problems: { codes: string[]; messages: string[] };
  damaged_runs: number;
}

export interface Change {
  snapshot: number;
  changed: string[] | null;
  added: string[] | null;
  removed: string[] | null;
  progress: Progress;
}

export interface Runs {
  snapshot: number;
  names: string[];
  first_wall_times: (number | null)[];
  newest_wall_times: (number | null)[];
  tag_counts: number[];
  event_counts: number[];
  damaged_bytes: number[];
  failed_files: number[];
  versions: number[];
}

export interface FilesAnswer {
  run: string;
  paths: string[];
  sizes: number[];
  records: number[];
  damaged_bytes: number[];
  torn_bytes: number[];
  errors: (string | null)[];
  damage_count: number;
  damage: { files: number[]; offsets: number[]; bytes: number[]; reasons: string[] };
}

export interface Tags {
  snapshot: number;
  runs: string[];
  names: string[];
  kinds: string[];
  plugins: string[];
  display_names: string[];
  descriptions: string[];
  run_lists: number[][];
  counts: number[];
  min_steps: number[];
  max_steps: number[];
}

/** Of many runs: first and last of each stretch of successive runs that have the tag. */
export type RangedTags = Omit<Tags, "run_lists"> & { run_ranges: number[][] };
