// A slider for the min width of cards: wider cards are also higher, and fewer fit into a row.
import type { JSX } from "preact";
import { query, setQuery } from "../base/address";

const [MIN, DEFAULT, MAX] = [240, 300, 1200];

function widthNow(): number {
  const width = Number(query.value.get("card") ?? DEFAULT);
  return Number.isFinite(width) ? Math.min(MAX, Math.max(MIN, width)) : DEFAULT;
}

/** A CSS class for the column that holds the cards. It is `default` if the user has not chosen a width. */
export function cardColumn(): { class: string; style: Record<string, string> } {
  return query.value.has("card")
    ? { class: "main-column", style: { "--card": `${widthNow()}px` } }
    : { class: "main-column default", style: {} };
}

export function CardWidth(): JSX.Element {
  const width = widthNow();
  return (
    <label class="label beside">
      Card width
      <input
        type="range"
        min={MIN}
        max={MAX}
        step="20"
        value={width}
        aria-label="Card width"
        onInput={(event) => {
          const next = Number(event.currentTarget.value);
          setQuery({ card: next === DEFAULT ? null : String(next) }, "replace");
        }}
      />
      <output>{query.value.has("card") ? `${width} px` : "default"}</output>
    </label>
  );
}
