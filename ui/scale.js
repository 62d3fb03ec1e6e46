// Axes: from values to pixels, and round numbers to label them with.

/** About `count` round numbers inside [low, high]. */
export function linearTicks(low, high, count) {
  if (!(high > low)) return [low];
  const raw = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= raw);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i += 1) {
    ticks.push(Number((i * step).toPrecision(12)));
  }
  return ticks;
}

/** 1, 2 and 5 of every power of ten inside [low, high]; only powers when there would be many. */
export function logTicks(low, high) {
  const ticks = [];
  const decades = Math.log10(high / low);
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += 1) {
    for (const factor of decades > 4 ? [1] : [1, 2, 5]) {
      const tick = factor * 10 ** power;
      if (tick >= low && tick <= high) ticks.push(Number(tick.toPrecision(3)));
    }
  }
  return ticks;
}

export function linearScale(low, high, from, to) {
  const span = high - low || 1;
  return (value) => from + ((value - low) / span) * (to - from);
}

export function logScale(low, high, from, to) {
  const scale = linearScale(Math.log(low), Math.log(high), from, to);
  return (value) => scale(Math.log(value));
}

/** [low, high] of the finite values, widened by `share` on both sides. */
export function extent(values, share = 0.05) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) return [0, 1];
  const room = (high - low) * share || Math.abs(high) * share || 1;
  return [low - room, high + room];
}
