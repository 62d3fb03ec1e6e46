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
