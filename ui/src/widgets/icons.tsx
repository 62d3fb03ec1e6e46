import type { JSX } from "preact";

export function Icon({ d }: { d: string }): JSX.Element {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.25"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={d} />
    </svg>
  );
}

/** The symbols of the pair on all pages: A is a blue disc, B an orange diamond. */
export function SideMark({ side }: { side: "a" | "b" }): JSX.Element {
  return (
    <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
      {side === "a" ? <circle class="mark-a" cx="5" cy="5" r="4" /> : <path class="mark-b" d="M5 0 10 5 5 10 0 5z" />}
    </svg>
  );
}

export { ICONS } from "./icon_paths";
