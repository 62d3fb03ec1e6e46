// Names, notes, tags and colours of runs, and how changes are applied to them. Pure.
import type { Annotations } from "../../api/annotations";
import { boolean, list, number, object, optional, readOrNull, record, string } from "../../api/shape";

export interface RunAnnotation {
  /** Shown instead of the name of the run; empty: none. */
  readonly name: string;
  /** Markdown. */
  readonly note: string;
  /** The note as the server rendered it; empty if only this browser has it. */
  readonly noteHtml: string;
  readonly tags: readonly string[];
  /** 1 to 8; 0: the page chooses. */
  readonly colour: number;
  readonly archived: boolean;
}

export const NO_ANNOTATION: RunAnnotation = { name: "", note: "", noteHtml: "", tags: [], colour: 0, archived: false };

/** Fields to be set; the others stay. */
export type AnnotationChange = { readonly [K in keyof Omit<RunAnnotation, "noteHtml">]?: RunAnnotation[K] | undefined };

export function annotationsOf({ runs }: Annotations): ReadonlyMap<string, RunAnnotation> {
  return new Map(
    runs.runs.map((run, i) => [
      run,
      {
        name: runs.names[i] ?? "",
        note: runs.notes[i] ?? "",
        noteHtml: runs.notes_html[i] ?? "",
        tags: runs.tags[i] ?? [],
        colour: runs.colours[i] ?? 0,
        archived: runs.archived[i] ?? false,
      },
    ]),
  );
}

/** Changes that the browser keeps because the server cannot, by run. */
export type LocalChanges = Readonly<Record<string, AnnotationChange>>;

const localShape = record(
  object({
    name: optional(string),
    note: optional(string),
    tags: optional(list(string)),
    colour: optional(number),
    archived: optional(boolean),
  }),
);

/** Anything that is not a record of changes is none. */
export function readLocal(text: string | null): LocalChanges {
  try {
    return readOrNull(localShape, JSON.parse(text ?? "{}")) ?? {};
  } catch {
    return {};
  }
}

export function withLocal(
  annotations: ReadonlyMap<string, RunAnnotation>,
  changes: LocalChanges,
): ReadonlyMap<string, RunAnnotation> {
  const result = new Map(annotations);
  for (const [run, change] of Object.entries(changes)) {
    const before = result.get(run) ?? NO_ANNOTATION;
    const note = change.note ?? before.note;
    result.set(run, {
      name: change.name ?? before.name,
      note,
      noteHtml: note === before.note ? before.noteHtml : "",
      tags: change.tags ?? before.tags,
      colour: change.colour ?? before.colour,
      archived: change.archived ?? before.archived,
    });
  }
  return result;
}

/** "good, to publish" as tags: trimmed, each once. */
export function tagsOf(text: string): string[] {
  return [...new Set(text.split(",").map((tag) => tag.trim()))].filter((tag) => tag !== "");
}
