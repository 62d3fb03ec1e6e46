// The theme of the page: that of the operating system, light, or dark. public/theme.js applies the choice before the
// first paint.
import { forgetColours } from "./dom/css_colour";
import { signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const root = document.documentElement;

const chosenTheme = (text: string | undefined): Theme => (text === "light" || text === "dark" ? text : "system");

export const theme = signal<Theme>(chosenTheme(root.dataset["theme"]));

/** Increases when colours have changed, so that canvases are painted again. */
export const paintVersion = signal(0);

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };

export function cycleTheme(): void {
  setTheme(NEXT[theme.value]);
}

function setTheme(next: Theme): void {
  theme.value = next;
  if (next === "system") delete root.dataset["theme"];
  else root.dataset["theme"] = next;
  try {
    if (next === "system") localStorage.removeItem("theme");
    else localStorage.setItem("theme", next);
  } catch {
    // Private windows may forbid storage; the choice then lasts until the page is closed.
  }
  repaint();
}

/** Makes every canvas paint again. */
export function repaint(): void {
  forgetColours();
  paintVersion.value = paintVersion.peek() + 1;
}

window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
