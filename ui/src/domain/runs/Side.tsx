// The side panel with the list of runs and the settings. On narrow screens it is behind a button, so that the page's
// content comes first.
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { plural } from "../../base/text/format";
import { RunList, type LastOf } from "./RunList";
import { listWidth } from "./run_names";
import { allRuns, runFilter, shownRuns } from "./shown_runs";

export function Side({ last = null, children }: { last?: LastOf | null; children?: ComponentChildren }): JSX.Element {
  const [open, setOpen] = useState(false);
  const width = listWidth.value;
  useLayoutEffect(() => document.documentElement.style.setProperty("--runs", `${width}px`), [width]);
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
        {runFilter.value.problem && <span class="bad">the run filter is invalid</span>}
      </button>
      <RunList last={last} />
      {children}
    </div>
  );
}
