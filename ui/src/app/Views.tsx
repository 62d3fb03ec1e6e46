// The named views of this board: open one, keep this one, forget one.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { readViews, withoutView, withView, type View } from "./saved_views";
import { addressHere, base, go } from "../base/address";
import { useUnfolded } from "../widgets/useUnfolded";

// Boards of one machine share a browser's storage; their path prefix and port tell them apart.
const KEY = `views ${base.pathname}`;

function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // A browser that keeps nothing.
  }
}

const views = signal<readonly View[]>(readViews(stored()));

function keep(next: readonly View[]): void {
  views.value = next;
  try {
    localStorage.setItem(KEY, JSON.stringify(next));
  } catch {
    // They last as long as the page, then.
  }
}

export function Views(): JSX.Element {
  const { open, setOpen, root, onKeyDown } = useUnfolded();
  const [name, setName] = useState("");
  const here = addressHere.value;
  const current = views.value.find((view) => view.address === here);
  return (
    <div class="menu-root view-pick" ref={root} onKeyDown={onKeyDown}>
      <button class="link" aria-expanded={open} onClick={() => setOpen(!open)}>
        View: {current?.name ?? (views.value.length > 0 ? "not kept" : "default")}{" "}
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
                aria-label={`Forget ${view.name}`}
                onClick={() => keep(withoutView(views.value, view.name))}
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
              keep(withView(views.value, { name: name.trim(), address: here }));
              setName("");
              setOpen(false);
            }}
          >
            <input
              class="field"
              aria-label="Name of this view"
              placeholder="Keep this view as…"
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
            <button class="pick" type="submit">
              Keep
            </button>
          </form>
          <p class="note">Kept in this browser. To share one, copy its link.</p>
        </div>
      )}
    </div>
  );
}
