// Texts of SQNR values, including "exact" (no error) and "lost" (no signal).
import { fixed } from "../../base/text/format";

/**
 * The value that is logged for an exact output, in dB. Its negative is logged for a lost output. Infinity is not
 * logged, because charts cannot show it.
 */
const EXACT_DB = 200;

/** The logged SQNR, with infinity for "exact" and -infinity for "lost". */
export function fromLogged(db: number): number {
  if (db >= EXACT_DB) return Infinity;
  return db <= -EXACT_DB ? -Infinity : db;
}

/** An SQNR without unit: "17.8", "exact" or "lost". */
export function dbText(db: number, decimals = 1): string {
  const measured = fromLogged(db);
  if (measured === Infinity) return "exact";
  return measured === -Infinity ? "lost" : fixed(db, decimals);
}

/** An SQNR with unit: "17.8 dB", "exact" or "lost". */
export function dbWithUnit(db: number): string {
  return `${dbText(db)}${Number.isFinite(fromLogged(db)) ? " dB" : ""}`;
}

/**
 * A gain of SQNR without unit: "+6.8", "−0.3", "0.0". "exact" if no error remains; "from lost" if the signal was lost
 * before, because this gain has no finite value.
 */
export function gainText(gain: number): string {
  if (gain >= EXACT_DB) return gain === Infinity ? "exact" : "from lost";
  if (Math.abs(gain) < 0.05) return fixed(0, 1);
  return gain > 0 ? `+${fixed(gain, 1)}` : dbText(gain);
}

/** A gain of SQNR with unit: "+6.8 dB", "exact". */
export function gainWithUnit(gain: number): string {
  return `${gainText(gain)}${Math.abs(gain) < EXACT_DB ? " dB" : ""}`;
}
