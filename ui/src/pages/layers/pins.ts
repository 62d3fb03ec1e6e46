// Which layers are pinned.

/** More would be too small to be read. */
const MAX_PINS = 4;

/** Pins or lets go; a fifth pin lets go of the oldest. */
export function withPin(pins: readonly string[], key: string): string[] {
  return pins.includes(key) ? pins.filter((pin) => pin !== key) : [...pins, key].slice(-MAX_PINS);
}
