// One colour per run, from its name alone, so that it never moves between pages or visits.

const COLOURS = 8;
const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 2], [8, 3, 2, 3]];

export interface RunLook {
  /** 1 to 8: the custom property --run-<n>. */
  readonly colour: number;
  readonly dash: readonly number[];
}

/** FNV-1a. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return hash >>> 0;
}

const FIXED: Record<string, RunLook> = {
  fp32: { colour: 1, dash: [] },
  int8: { colour: 2, dash: [6, 3] },
};

/** A run whose last part names a variant of the pair looks like the pair. */
export function lookOf(run: string): RunLook {
  const tail = run.slice(run.lastIndexOf("/") + 1);
  const fixed = FIXED[tail] ?? (/^(baseline|tune_0)(_acc|$)/.test(tail) ? FIXED["fp32"] : undefined);
  if (fixed) return fixed;
  const hash = hashOf(run);
  return { colour: (hash % COLOURS) + 1, dash: DASHES[Math.floor(hash / COLOURS) % DASHES.length] ?? [] };
}

// Asking the browser makes it compute styles anew, and a chart of a hundred lines asks a hundred times.
const resolved = new Map<string, string>();

// Charts need these together, which the browser then computes in one go.
const RUN_COLOURS = Array.from({ length: COLOURS }, (_, i) => `--run-${i + 1}`);

/** The colour as the canvas needs it. Custom properties are the document's, so one answer is
 * everybody's until the theme changes. */
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

/** To be called when the theme has changed, before anything is painted again. */
export function forgetColours(): void {
  resolved.clear();
}
