// Which runs, and how they are looked at: beside the page, and on narrow screens behind a button, so
// that the page itself comes first.
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { plural } from "../../base/text/format";
import { RunList, type LastOf } from "./RunList";
import { allRuns, runFilter, shownRuns } from "./shown_runs";

export function Side({ last = null, children }: { last?: LastOf | null; children?: ComponentChildren }): JSX.Element {
  const [open, setOpen] = useState(false);
  return (
    <div class={`side${open ? " open" : ""}`}>
      <button class="fold side-toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span class="caret" aria-hidden="true">
          {open ? "▾" : "▸"}
        </span>
        <b>Runs and settings</b>
        <span class="dim">
          {shownRuns.value.length} of {plural(allRuns.value.length, "run")}
        </span>
        {runFilter.value.problem && <span class="bad">the filter is not understood</span>}
      </button>
      <RunList last={last} />
      {children}
    </div>
  );
}
