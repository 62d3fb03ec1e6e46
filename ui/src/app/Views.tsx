// The menu of named views. Users can open a view, save the current view, and delete a view. Views are stored beside the
// logs, or in the browser if the server may not write.
import { computed, signal } from "@preact/signals";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { readViews, withoutView, withView, type View } from "./saved_views";
import { addressHere, base, go } from "../base/address";
import { annotationPlace, servedViews, storeView } from "../domain/runs/annotations";
import { useUnfolded } from "../widgets/useUnfolded";

// Servers on the same host share the browser's storage, so path prefix and port are part of the key.
const KEY = `views ${base.pathname}`;

function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // The browser does not allow storage.
  }
}

const inBrowser = signal<readonly View[]>(readViews(stored()));

function keepInBrowser(next: readonly View[]): void {
  inBrowser.value = next;
  try {
    localStorage.setItem(KEY, JSON.stringify(next));
  } catch {
    // If the browser does not allow storage, views last until the page is closed.
  }
}

/** The views of the server come first. If a view of the browser has the same name, it is hidden. */
const views = computed(() => {
  const served = readViews(JSON.stringify(servedViews.value));
  return served.reduce(withView, inBrowser.value);
});

const isServer = (): boolean => annotationPlace.value?.isServer === true;

async function keep(view: View): Promise<void> {
  if (!isServer()) return keepInBrowser(withView(inBrowser.value, view));
  await storeView(view.name, view.address);
}

async function forget(name: string): Promise<void> {
  keepInBrowser(withoutView(inBrowser.value, name));
  if (isServer() && servedViews.value.some((view) => view.name === name)) await storeView(name, null);
}

export function Views(): JSX.Element {
  const { open, setOpen, root, onKeyDown } = useUnfolded();
  const [name, setName] = useState("");
  const [failure, setFailure] = useState<string | null>(null);
  const report = (error: unknown): void => setFailure(error instanceof Error ? error.message : String(error));
  const here = addressHere.value;
  const current = views.value.find((view) => view.address === here);
  return (
    <div class="menu-root view-pick" ref={root} onKeyDown={onKeyDown}>
      <button class="link" aria-expanded={open} onClick={() => setOpen(!open)}>
        View: {current?.name ?? (views.value.length > 0 ? "not saved" : "default")}{" "}
        <span class="caret" aria-hidden="true">
          ▼
        </span>
      </button>
      {open && (
        <div class="menu-list right views" role="group" aria-label="Named views">
          {views.value.map((view) => (
            <div key={view.name} class="view-row">
              <button
                class="link open-view"
                onClick={() => {
                  setOpen(false);
                  go(base.pathname + view.address);
                }}
              >
                {view.name}
              </button>
              <button
                class="link"
                aria-label={`Delete ${view.name}`}
                onClick={() => void forget(view.name).catch(report)}
              >
                ✕
              </button>
            </div>
          ))}
          <form
            class="view-row"
            onSubmit={(event) => {
              event.preventDefault();
              if (name.trim() === "") return;
              keep({ name: name.trim(), address: here }).then(() => {
                setName("");
                setOpen(false);
              }, report);
            }}
          >
            <input
              class="field"
              aria-label="Name of this view"
              placeholder="Save this view as…"
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
            <button class="pick" type="submit">
              Save
            </button>
          </form>
          {failure !== null && (
            <p class="note bad" role="alert">
              {failure}
            </p>
          )}
          <p class="note">
            {isServer()
              ? "Views are stored in the log directory, for everyone who opens it."
              : "Views are stored in this browser. To share a view, copy its link."}
          </p>
        </div>
      )}
    </div>
  );
}
