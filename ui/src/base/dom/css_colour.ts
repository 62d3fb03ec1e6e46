// Colours of the stylesheet for canvases, which do not understand custom properties.

// Reading a style makes the browser compute all styles again, and a chart of a hundred lines reads a hundred.
const resolved = new Map<string, string>();

// Charts need the colours of runs together; the browser computes them in one pass.
const RUN_COLOURS = Array.from({ length: 8 }, (_, i) => `--run-${i + 1}`);

/** The value of a custom property as a colour. Custom properties belong to the document, so a value is valid
 * for every element until the theme changes. */
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
    if (colours[i]) resolved.set(name, colours[i]); // An element outside the document has none.
  });
  return resolved.get(property) ?? "";
}

/** Call when the theme has changed, before anything is painted again. */
export function forgetColours(): void {
  resolved.clear();
}
