// Annotations of runs (names, notes, tags and colours): stored beside the logs, or in the browser if the server may not
// write.
import { computed, effect, signal } from "@preact/signals";
import { annotationsShape, type Annotations } from "../../api/annotations";
import { getStored, postJson } from "../../api/client";
import { recall, remember } from "../../base/storage";
import { annotationsVersion, refreshStatus, status } from "../live/live";
import {
  annotationsOf,
  NO_ANNOTATION,
  readLocal,
  withLocal,
  type AnnotationChange,
  type LocalChanges,
  type RunAnnotation,
} from "./annotation_records";
import { titles } from "./run_titles";

const stored = signal<Annotations | null>(null);
const local = signal<LocalChanges>({});

/** The storage key contains the served log directories, because annotations belong to them. */
const localKey = computed(() => `annotations ${status.value?.logdirs.paths.join("\n") ?? ""}`);

/**
 * The place where annotations are stored. Null until the annotations and the names of the log directories are loaded.
 */
export const annotationPlace = computed(() =>
  stored.value === null || status.value === null
    ? null
    : {
        isServer: stored.value.writable,
        reason: stored.value.read_only_reason,
        allowDelete: stored.value.allow_delete,
        problems: stored.value.problems,
      },
);

const byRun = computed(() => {
  const served = stored.value ? annotationsOf(stored.value) : new Map<string, RunAnnotation>();
  return stored.value?.writable ? served : withLocal(served, local.value);
});

export const annotationOf = (run: string): RunAnnotation => byRun.value.get(run) ?? NO_ANNOTATION;

/** The colour of each run, 1 to 8. */
export const annotatedColours = computed(
  (): ReadonlyMap<string, number> =>
    new Map([...byRun.value].flatMap(([run, { colour }]): [string, number][] => (colour > 0 ? [[run, colour]] : []))),
);

export const archivedRuns = computed(
  (): ReadonlySet<string> => new Set([...byRun.value].flatMap(([run, { archived }]) => (archived ? [run] : []))),
);

/** All tags of all runs, in alphabetical order. */
export const knownTags = computed((): readonly string[] =>
  [...new Set([...byRun.value.values()].flatMap(({ tags }) => tags))].sort(),
);

/** The views that are stored beside the logs. */
export const servedViews = computed(() =>
  (stored.value?.views.names ?? []).map((name, i) => ({ name, address: stored.value?.views.addresses[i] ?? "" })),
);

/**
 * Requests the data that `annotationPlace` needs, if it is not loaded yet. Rejects with an ApiError if the server
 * refuses.
 */
export async function loadAnnotations(): Promise<void> {
  if (status.value === null) await refreshStatus();
  stored.value ??= await getStored(annotationsShape, "annotations");
}

/** Requires that `annotationPlace` is not null. Rejects with an ApiError if the server refuses. */
export async function changeRuns(runs: readonly string[], change: AnnotationChange): Promise<void> {
  if (stored.value?.writable) {
    stored.value = await postJson(annotationsShape, "annotations", { runs, set: change });
    return;
  }
  local.value = {
    ...local.value,
    ...Object.fromEntries(runs.map((run) => [run, { ...local.value[run], ...change }])),
  };
  remember(localKey.value, JSON.stringify(local.value));
}

export async function storeView(name: string, address: string | null): Promise<void> {
  stored.value = await postJson(annotationsShape, "views", { name, address });
}

export async function deleteRuns(runs: readonly string[]): Promise<void> {
  stored.value = await postJson(annotationsShape, "runs/delete", { runs });
}

/** Loads the annotations now, and again whenever another window has changed them. */
export function followAnnotations(): void {
  effect(() => {
    local.value = readLocal(recall(localKey.value));
  });
  effect(() => {
    titles.value = new Map(
      [...byRun.value].flatMap(([run, { name }]): [string, string][] => (name === "" ? [] : [[run, name]])),
    );
  });
  effect(() => {
    void annotationsVersion.value;
    getStored(annotationsShape, "annotations").then(
      (answer) => (stored.value = answer),
      () => undefined, // The page works without annotations; the dialog to edit a run requests them again.
    );
  });
}
