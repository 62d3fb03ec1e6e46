// The dialog to edit a run: name, note, tags and colour, archive, delete. For several runs, only their tags can be
// edited.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { count, plural } from "../../base/text/format";
import { elementsOf } from "../../base/text/safe_html";
import { Dialog } from "../../widgets/Dialog";
import { tagsOf, type AnnotationChange } from "./annotation_records";
import { annotationOf, annotationPlace, changeRuns, deleteRuns, knownTags, loadAnnotations } from "./annotations";
import { COLOURS } from "./look_choice";
import { fixColour, fixedColourOf } from "./run_colours";

function Swatches({ value, onPick }: { value: number; onPick: (colour: number) => void }): JSX.Element {
  return (
    <div class="swatches" role="group" aria-label="Colour">
      <button type="button" class="pick" aria-pressed={value === 0} onClick={() => onPick(0)}>
        Automatic
      </button>
      {Array.from({ length: COLOURS }, (_, i) => i + 1).map((colour) => (
        <button
          key={colour}
          type="button"
          class="swatch"
          aria-label={`Colour ${colour}`}
          aria-pressed={colour === value}
          style={{ background: `var(--run-${colour})` }}
          onClick={() => onPick(colour)}
        />
      ))}
    </div>
  );
}

/** Tells the user where names and notes are stored. */
function Place(): JSX.Element | null {
  const place = annotationPlace.value;
  if (!place) return null;
  return (
    <p class="note">
      {place.isServer
        ? "Stored in compression-board.json in the log directory. Event files are not changed."
        : `Stored in this browser only: ${place.reason}.`}
    </p>
  );
}

function Delete({
  runs,
  onDone,
  onFail,
}: {
  runs: readonly string[];
  onDone: () => void;
  onFail: (why: string) => void;
}) {
  const [sure, setSure] = useState(false);
  if (!sure)
    return (
      <button type="button" class="link bad" onClick={() => setSure(true)}>
        Delete {runs.length === 1 ? "this run" : plural(runs.length, "run")}…
      </button>
    );
  return (
    <span role="alert">
      This deletes the event files of {plural(runs.length, "run")} from the disk and cannot be undone.{" "}
      <button
        type="button"
        class="pick bad"
        onClick={() => deleteRuns(runs).then(onDone, (error: unknown) => onFail(String(error)))}
      >
        Delete
      </button>{" "}
      <button type="button" class="link" onClick={() => setSure(false)}>
        Keep
      </button>
    </span>
  );
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const titleOf = (runs: readonly string[]): string =>
  runs.length === 1 ? (runs[0] ?? "") : `${count(runs.length)} runs`;

interface Edited {
  runs: readonly string[];
  onClose: () => void;
}

function RunForm({ runs, onClose }: Edited): JSX.Element {
  const [run = ""] = runs;
  const single = runs.length === 1;
  const before = annotationOf(run);
  const [name, setName] = useState(before.name);
  const [note, setNote] = useState(before.note);
  const [tags, setTags] = useState(single ? before.tags.join(", ") : "");
  const [colour, setColour] = useState(fixedColourOf(run));
  const [archived, setArchived] = useState(runs.every((each) => annotationOf(each).archived));
  const [preview, setPreview] = useState(before.note !== "");
  const [failure, setFailure] = useState<string | null>(null);

  const save = async (): Promise<void> => {
    if (single) {
      const change: AnnotationChange = { name: name.trim(), note, tags: tagsOf(tags), colour, archived };
      await changeRuns(runs, change);
      fixColour(run, colour === 0 ? null : colour);
      return;
    }
    const added = tagsOf(tags);
    if (added.length === 0) return changeRuns(runs, { archived });
    // Runs with the same tags are changed in one request. Each run keeps its other tags.
    const groups = new Map<string, string[]>();
    for (const each of runs) {
      const key = JSON.stringify([...new Set([...annotationOf(each).tags, ...added])]);
      groups.set(key, [...(groups.get(key) ?? []), each]);
    }
    for (const [key, members] of groups) {
      const all: unknown = JSON.parse(key);
      await changeRuns(members, { archived, tags: Array.isArray(all) ? all.map(String) : added });
    }
  };
  return (
    <form
      class="run-form"
      onSubmit={(event) => {
        event.preventDefault();
        save().then(onClose, (error: unknown) => setFailure(messageOf(error)));
      }}
    >
      <h2 class="breakable">{titleOf(runs)}</h2>
      {single && (
        <label>
          Name
          <input
            class="field"
            value={name}
            maxLength={200}
            placeholder={run}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
      )}
      <label>
        {single ? "Tags" : "Add tags"}
        <input
          class="field"
          value={tags}
          list="known-tags"
          placeholder="for example: good, to publish"
          title="Separate tags by commas"
          onInput={(event) => setTags(event.currentTarget.value)}
        />
        <datalist id="known-tags">
          {knownTags.value.map((tag) => (
            <option key={tag} value={tag} />
          ))}
        </datalist>
      </label>
      {single && (
        <>
          <div class="run-note">
            <span>Note</span>
            {preview && before.noteHtml !== "" ? (
              <>
                <div class="markdown">{elementsOf(before.noteHtml)}</div>
                <button type="button" class="link" onClick={() => setPreview(false)}>
                  Edit the note
                </button>
              </>
            ) : (
              <textarea
                class="field"
                aria-label="Note"
                rows={5}
                value={note}
                placeholder="Markdown: **bold**, - lists, [links](https://…)"
                onInput={(event) => setNote(event.currentTarget.value)}
              />
            )}
          </div>
          <Swatches value={colour} onPick={setColour} />
        </>
      )}
      <label class="tick">
        <input type="checkbox" checked={archived} onChange={(event) => setArchived(event.currentTarget.checked)} />
        Archived: hidden from the list of runs
      </label>
      {failure !== null && (
        <p class="bad" role="alert">
          {failure}
        </p>
      )}
      <div class="run-actions">
        <button class="pick" type="submit">
          Save
        </button>
        <button class="link" type="button" onClick={onClose}>
          Cancel
        </button>
        {annotationPlace.value?.allowDelete && <Delete runs={runs} onDone={onClose} onFail={setFailure} />}
      </div>
      <Place />
    </form>
  );
}

/** The form is shown when the stored values are loaded, because it starts with them. */
function LoadedForm(edited: Edited): JSX.Element {
  const [failure, setFailure] = useState<string | null>(null);
  const loaded = annotationPlace.value !== null;
  useEffect(() => {
    if (!loaded) loadAnnotations().catch((error: unknown) => setFailure(messageOf(error)));
  }, [loaded]);
  if (loaded) return <RunForm {...edited} />;
  if (failure === null) return <p class="note">Loading the names and notes…</p>;
  return (
    <p class="bad" role="alert">
      The names and notes could not be loaded: {failure}
    </p>
  );
}

export function RunDialog(edited: Edited): JSX.Element {
  return (
    <Dialog label={`Edit ${titleOf(edited.runs)}`} onClose={edited.onClose}>
      <LoadedForm {...edited} />
    </Dialog>
  );
}
