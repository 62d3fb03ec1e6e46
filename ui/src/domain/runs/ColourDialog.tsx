// Fixes the colour of a run, or lets the page choose it.
import type { JSX } from "preact";
import { Dialog } from "../../widgets/Dialog";
import { COLOURS } from "./look_choice";
import { colourIsFixed, fixColour } from "./run_colours";
import { lookOf } from "./run_look";

export function ColourDialog({ run, onClose }: { run: string; onClose: () => void }): JSX.Element {
  const [now, fixed] = [lookOf(run).colour, colourIsFixed(run)];
  const choose = (colour: number | null) => (): void => {
    fixColour(run, colour);
    onClose();
  };
  return (
    <Dialog label={`Colour of ${run}`} onClose={onClose}>
      <h2>Colour of {run}</h2>
      <div class="swatches">
        {Array.from({ length: COLOURS }, (_, i) => i + 1).map((colour) => (
          <button
            key={colour}
            class="swatch"
            aria-label={`Colour ${colour}`}
            aria-pressed={fixed && colour === now}
            style={{ background: `var(--run-${colour})` }}
            onClick={choose(colour)}
          />
        ))}
      </div>
      <p class="note">
        {fixed ? "This colour is fixed." : "The page chooses colours so that the visible runs differ."}{" "}
        {fixed && (
          <button class="link" onClick={choose(null)}>
            Let the page choose
          </button>
        )}
      </p>
    </Dialog>
  );
}
