// Chooses colours and dashes for a set of runs. Pure functions.

export const COLOURS = 8;
export const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 2], [8, 3, 2, 3]];

export interface RunLook {
  /** The number of the colour, 1 to 8: the custom property --run-<n>. */
  readonly colour: number;
  readonly dash: readonly number[];
}

/** The FNV-1a hash. */
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

/**
 * The look of A or B, for runs whose last path part is the name of that variant; "int8/histogram_per_channel" has
 * values of int8, too.
 */
function pairLook(run: string): RunLook | undefined {
  const owner = run.replace(/\/[^/]*_per_channel$/, "");
  const tail = owner.slice(owner.lastIndexOf("/") + 1);
  return FIXED[tail] ?? (/^(baseline|tune_0)(_acc|$)/.test(tail) ? FIXED["fp32"] : undefined);
}

/** The look of a run that does not depend on other runs. */
export function ownLook(run: string): RunLook {
  const hash = hashOf(run);
  return (
    pairLook(run) ?? { colour: (hash % COLOURS) + 1, dash: DASHES[Math.floor(hash / COLOURS) % DASHES.length] ?? [] }
  );
}

/**
 * Chooses the looks of runs that are visible together. Up to 8 runs get 8 colours; up to 32 runs differ in colour or
 * dashes. Colours set by the user come first, then the looks of A and B. Other runs get the colour of their own look if
 * it is free, so that few runs change colour when the set of runs changes.
 */
export function chooseLooks(
  runs: readonly string[],
  chosen: ReadonlyMap<string, number>,
): ReadonlyMap<string, RunLook> {
  const looks = new Map<string, RunLook>();
  const uses = new Array<number>(COLOURS + 1).fill(0);
  const take = (run: string, look: RunLook): void => {
    uses[look.colour] = (uses[look.colour] ?? 0) + 1;
    looks.set(run, look);
  };
  const isFree = (look: RunLook): boolean =>
    ![...looks.values()].some((other) => other.colour === look.colour && other.dash.join() === look.dash.join());
  const dashOf = (colour: number): readonly number[] =>
    DASHES.find((dash) => isFree({ colour, dash })) ?? DASHES[(uses[colour] ?? 0) % DASHES.length] ?? [];
  const users = runs.filter((run) => chosen.has(run));
  for (const run of users) {
    const colour = chosen.get(run) ?? 1;
    take(run, { colour, dash: dashOf(colour) });
  }
  for (const run of runs) {
    const look = pairLook(run);
    if (look && !looks.has(run) && uses[look.colour] === 0) take(run, look);
  }
  for (const run of runs) {
    if (looks.has(run)) continue;
    const least = Math.min(...uses.slice(1));
    const first = ownLook(run).colour;
    const order = Array.from({ length: COLOURS }, (_, i) => ((first - 1 + i) % COLOURS) + 1);
    const colour = order.find((candidate) => uses[candidate] === least) ?? first;
    take(run, { colour, dash: dashOf(colour) });
  }
  return looks;
}
