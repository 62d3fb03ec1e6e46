// Numbers as they travel in JSON.

/** Numbers that JSON cannot carry travel as strings; null stays null. */
export type WireNumber = number | "NaN" | "Infinity" | "-Infinity" | null;

export function toNumber(value: WireNumber): number {
  return value === null ? NaN : Number(value);
}
