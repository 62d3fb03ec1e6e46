// SQNR values, including "exact" (no error) and "lost" (no signal).
import { fixed } from "../../base/text/format";

/** The logged value of an exact output; its negative is logged for a lost one, since charts cannot show infinity. */
const EXACT_DB = 200;

/** With both ends as infinities. */
export function fromLogged(db: number): number {
  if (db >= EXACT_DB) return Infinity;
  return db <= -EXACT_DB ? -Infinity : db;
}

/** "17.8"; "exact" where no error is left, "lost" where there is nothing else. */
export function dbText(db: number, decimals = 1): string {
  const measured = fromLogged(db);
  if (measured === Infinity) return "exact";
  return measured === -Infinity ? "lost" : fixed(db, decimals);
}

/** "17.8 dB", "exact", "lost". */
export function dbWithUnit(db: number): string {
  return `${dbText(db)}${Number.isFinite(fromLogged(db)) ? " dB" : ""}`;
}

/** "+6.8", "−0.3", "0.0"; "exact" where no error is left, and "from lost" where nothing else was there before: by how much that is better, nobody can say. */
export function gainText(gain: number): string {
  if (gain >= EXACT_DB) return gain === Infinity ? "exact" : "from lost";
  if (Math.abs(gain) < 0.05) return fixed(0, 1);
  return gain > 0 ? `+${fixed(gain, 1)}` : dbText(gain);
}

/** "+6.8 dB", "exact". */
export function gainWithUnit(gain: number): string {
  return `${gainText(gain)}${Math.abs(gain) < EXACT_DB ? " dB" : ""}`;
}
