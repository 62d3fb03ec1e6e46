// Display settings that all image cards share.

/** Images that are narrower than this are enlarged with sharp pixels, without interpolation. */
export const SMALL = 160;

export interface Look {
  readonly actual: boolean;
  readonly brightness: number;
  readonly contrast: number;
  /** The step of all cards. null means the newest step of each card. */
  readonly step: number | null;
}

export function lookOf(params: URLSearchParams, step: number | null): Look {
  const number = (key: string, usual: number): number => {
    const value = Number(params.get(key) ?? usual);
    return Number.isFinite(value) ? Math.min(4, Math.max(0, value)) : usual;
  };
  return { actual: params.has("actual"), brightness: number("bright", 1), contrast: number("contrast", 1), step };
}

export function filterOf(look: Look): Record<string, string> {
  return look.brightness === 1 && look.contrast === 1
    ? {}
    : { filter: `brightness(${look.brightness}) contrast(${look.contrast})` };
}

/** The two runs to compare: the requested ones if they share an image, otherwise the first two runs that share one. */
export function pairOf(
  series: readonly { run: string; tag: string }[],
  a: string | null,
  b: string | null,
): readonly [string, string] | null {
  const tags = new Map<string, Set<string>>();
  for (const { run, tag } of series) {
    const own = tags.get(run);
    if (own) own.add(tag);
    else tags.set(run, new Set([tag]));
  }
  const runs = [...tags.keys()];
  const share = (p: string, q: string): boolean =>
    p !== q && [...(tags.get(p) ?? [])].some((tag) => tags.get(q)?.has(tag));
  // The runs, with the requested run first. All other runs keep their order.
  const before = (asked: string | null): string[] => (asked !== null && tags.has(asked) ? [asked, ...runs] : runs);
  for (const first of before(a)) {
    if (first === b && a !== b) continue;
    const second = before(b).find((run) => share(first, run));
    if (second !== undefined) return [first, second];
  }
  return null;
}
