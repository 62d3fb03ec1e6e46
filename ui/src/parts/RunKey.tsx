import type { JSX } from "preact";
import { lookOf } from "../lib/colour";

/** The sample of a run's line: colour, dashes, and the mark of the pair. */
export function RunKey({ run }: { run: string }): JSX.Element {
  const look = lookOf(run);
  return (
    <svg class={`run-key run-${look.colour}`} width="22" height="10" aria-hidden="true">
      <path d="M0 5H22" stroke-dasharray={look.dash.join(" ")} />
    </svg>
  );
}
