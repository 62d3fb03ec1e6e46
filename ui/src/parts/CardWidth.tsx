// How wide cards are at least: the further right, the fewer stand in a row, and the higher they are.
import type { JSX } from "preact";
import { query, setQuery } from "../state/location";

const [LEAST, USUAL, MOST] = [240, 300, 1200];

function widthNow(): number {
  const width = Number(query.value.get("card") ?? USUAL);
  return Number.isFinite(width) ? Math.min(MOST, Math.max(LEAST, width)) : USUAL;
}

/** For the column that holds the cards; `usual` where nobody has said how wide they are to be. */
export function cardColumn(): { class: string; style: Record<string, string> } {
  return query.value.has("card") ? { class: "main-column", style: { "--card": `${widthNow()}px` } } : { class: "main-column usual", style: {} };
}

export function CardWidth(): JSX.Element {
  const width = widthNow();
  return (
    <label class="label beside">Card width
      <input type="range" min={LEAST} max={MOST} step="20" value={width} aria-label="Card width" onInput={(event) => {
        const next = Number(event.currentTarget.value);
        setQuery({ card: next === USUAL ? null : String(next) }, "replace");
      }} />
      <output>{query.value.has("card") ? `${width} px` : "usual"}</output>
    </label>
  );
}
