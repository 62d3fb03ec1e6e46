import type { JSX } from "preact";
import { lookOf, type RunLook } from "./run_look";

/** The legend symbol of a run: its colour, its dashes, and the mark of A or B. */
export function RunKey({ run, look = lookOf(run) }: { run: string; look?: RunLook }): JSX.Element {
  return (
    <svg class={`run-key run-${look.colour}`} width="22" height="10" aria-hidden="true">
      <path d="M0 5H22" stroke-dasharray={look.dash.join(" ")} />
    </svg>
  );
}
