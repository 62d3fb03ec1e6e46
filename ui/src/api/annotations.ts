// Names, notes, tags and colours that people give to runs, and named views.
import { boolean, booleans, list, numbers, object, string, strings, type TypeOf } from "./shape";

export const annotationsShape = object({
  writable: boolean,
  read_only_reason: string,
  allow_delete: boolean,
  problems: strings,
  runs: object({
    runs: strings,
    names: strings,
    notes: strings,
    notes_html: strings,
    tags: list(strings),
    colours: numbers, // The colour's number, 1 to 8; 0: no colour.
    archived: booleans,
  }),
  views: object({ names: strings, addresses: strings }),
});
export type Annotations = TypeOf<typeof annotationsShape>;
