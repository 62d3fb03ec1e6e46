// Annotations of runs: names, notes, tags and colours, and how changes of them are applied. Pure functions.
import type { Annotations } from "../../api/annotations";
import { boolean, list, number, object, optional, readOrNull, record, string } from "../../api/shape";

export interface RunAnnotation {
  /** A name to show instead of the run's own name; empty if none was given. */
  readonly name: string;
  /** The note in Markdown. */
  readonly note: string;
  /** The note rendered as HTML by the server; empty if only this browser has the note. */
  readonly noteHtml: string;
  readonly tags: readonly string[];
  /** The number of the colour, 1 to 8. 0 means that the page chooses the colour. */
  readonly colour: number;
  readonly archived: boolean;
}

export const NO_ANNOTATION: RunAnnotation = { name: "", note: "", noteHtml: "", tags: [], colour: 0, archived: false };

/** A change: the fields to set; fields that are missing stay unchanged. */
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

/** Changes by run that only the browser stores, because the server may not write. */
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

/** Text that is not a record of changes is ignored. */
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

/** The tags of a text such as "good, to publish": trimmed, without duplicates. */
export function tagsOf(text: string): string[] {
  return [...new Set(text.split(",").map((tag) => tag.trim()))].filter((tag) => tag !== "");
}
