// The list of pinned layers.

/** The max number of pinned layers, because more would be too small to read. */
const MAX_PINS = 4;

/** Pins or unpins a layer. At the limit, the layer that was pinned first is unpinned. */
export function withPin(pins: readonly string[], key: string): string[] {
  return pins.includes(key) ? pins.filter((pin) => pin !== key) : [...pins, key].slice(-MAX_PINS);
}
