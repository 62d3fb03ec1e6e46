// Colours of the stylesheet as values for canvases, because canvases cannot read CSS custom properties.

// Caches colours: reading a style makes the browser recompute all styles, and a chart of a hundred lines reads a
// hundred colours.
const resolved = new Map<string, string>();

// Reads the colours of all runs in one pass, because charts need them together.
const RUN_COLOURS = Array.from({ length: 8 }, (_, i) => `--run-${i + 1}`);

/**
 * The value of a custom property as a colour. All elements share the properties of the document, so a value is valid
 * everywhere until the theme changes.
 */
export function resolveColour(element: Element, property: string): string {
  const known = resolved.get(property);
  if (known !== undefined) return known;
  const together = RUN_COLOURS.includes(property) ? RUN_COLOURS : [property];
  const probes = together.map((name) => {
    const probe = document.createElement("span");
    probe.style.color = `var(${name})`;
    return probe;
  });
  element.append(...probes);
  const colours = probes.map((probe) => getComputedStyle(probe).color);
  probes.forEach((probe) => probe.remove());
  together.forEach((name, i) => {
    if (colours[i]) resolved.set(name, colours[i]); // An element outside the document has no style.
  });
  return resolved.get(property) ?? "";
}

/** Discards the cached colours. Call it after the theme has changed, before anything is painted. */
export function forgetColours(): void {
  resolved.clear();
}
