// Axis scales: convert values to pixels and back, and choose ticks.

export interface Scale {
  (value: number): number;
  invert(pixel: number): number;
  readonly log: boolean;
  readonly domain: readonly [number, number];
}

export function linearScale(d0: number, d1: number, r0: number, r1: number): Scale {
  const span = d1 - d0 || 1;
  const scale = (value: number): number => r0 + ((value - d0) / span) * (r1 - r0);
  return Object.assign(scale, {
    invert: (pixel: number): number => d0 + ((pixel - r0) / (r1 - r0)) * span,
    log: false,
    domain: [d0, d1] as const,
  });
}

/** A logarithmic scale. Both ends of the domain must be positive. */
export function logScale(d0: number, d1: number, r0: number, r1: number): Scale {
  const inner = linearScale(Math.log(d0), Math.log(d1), r0, r1);
  const scale = (value: number): number => inner(Math.log(value));
  return Object.assign(scale, {
    invert: (pixel: number): number => Math.exp(inner.invert(pixel)),
    log: true,
    domain: [d0, d1] as const,
  });
}

/**
 * About `wanted` round values inside [lo, hi]. There are at least two values unless `wanted` is one, because a single
 * tick does not show the scale.
 */
export function ticks(lo: number, hi: number, wanted = 5): number[] {
  if (!(hi > lo) || wanted < 1) return [];
  const raw = (hi - lo) / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * (1 - 1e-9)) ?? 10 * power;
  const found: number[] = [];
  const first = Math.ceil(lo / step - 1e-9);
  for (let i = 0; (first + i) * step <= hi + step * 1e-9 && i <= 4 * wanted; i += 1) {
    // Above 2^53, adding a step may not change a number.
    found.push(Number(((first + i) * step).toPrecision(12)));
  }
  return found.length < 2 && wanted >= 2 && wanted < 12 ? ticks(lo, hi, wanted * 2) : found;
}

// Round steps of time, in seconds.
const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400];

/** About `wanted` times inside [lo, hi], in seconds, at full minutes and hours instead of hundreds of seconds. */
export function timeTicks(lo: number, hi: number, wanted = 5): number[] {
  const raw = (hi - lo) / wanted;
  const step = TIME_STEPS.find((s) => s >= raw * (1 - 1e-9));
  if (!(hi > lo) || wanted < 1 || raw < 1) return ticks(lo, hi, wanted);
  if (step === undefined) return ticks(lo / 86_400, hi / 86_400, wanted).map((t) => t * 86_400);
  const first = Math.ceil(lo / step - 1e-9);
  return Array.from({ length: Math.floor(hi / step + 1e-9) - first + 1 }, (_, i) => (first + i) * step);
}

/** Ticks at 1, 2 and 5 times powers of ten, reduced to at most `most`. */
export function logTicks(lo: number, hi: number, most = 8): number[] {
  if (!(hi > lo) || lo <= 0) return [];
  for (const steps of [[1, 2, 5], [1, 3], [1]]) {
    const found = logTicksOf(lo, hi, steps);
    if (found.length <= most && found.length >= 2) return found;
  }
  const decades = logTicksOf(lo, hi, [1]);
  if (decades.length < 2) return ticks(lo, hi, most).filter((t) => t > 0);
  const stride = Math.ceil(decades.length / most);
  return decades.filter((_, i) => i % stride === 0);
}

function logTicksOf(lo: number, hi: number, steps: readonly number[]): number[] {
  const found: number[] = [];
  for (let power = Math.floor(Math.log10(lo)); power <= Math.ceil(Math.log10(hi)); power += 1) {
    for (const step of steps) {
      const tick = Number((step * 10 ** power).toPrecision(12));
      if (tick >= lo * (1 - 1e-9) && tick <= hi * (1 + 1e-9)) found.push(tick);
    }
  }
  return found;
}

/** The smallest and the largest finite number, or null if there is none. */
export function extent(values: Iterable<number>): [number, number] | null {
  let lo = Infinity;
  let hi = -Infinity;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < lo) lo = value;
    if (value > hi) hi = value;
  }
  return lo <= hi ? [lo, hi] : null;
}

/** The range with a margin on both sides. A range of a single value is widened. */
export function padded([lo, hi]: readonly [number, number], share = 0.06): [number, number] {
  if (lo === hi) {
    const room = Math.abs(lo) * 0.1 || 1;
    return [lo - room, hi + room];
  }
  const room = (hi - lo) * share;
  return [lo - room, hi + room];
}
