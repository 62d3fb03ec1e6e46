// Formats numbers: four significant digits, a real minus sign, separators between thousands, and each unit written only
// once.

const MINUS = "−";

export function withTrueMinus(text: string): string {
  return text.replaceAll("-", MINUS);
}

function spellNonFinite(value: number): string | null {
  if (Number.isNaN(value)) return "NaN";
  if (value === Infinity) return "∞";
  if (value === -Infinity) return `${MINUS}∞`;
  return null;
}

// Removes the sign of a value that rounds to zero.
function toDecimals(value: number, decimals: number): string {
  return value.toFixed(decimals).replace(/^-(?=0(?:\.0*)?$)/, "");
}

/** The number with a fixed number of decimals. */
export function fixed(value: number, decimals: number): string {
  return spellNonFinite(value) ?? withTrueMinus(toDecimals(value, decimals));
}

// Inserts separators between thousands. Does not use toLocaleString: its first call takes longer than drawing a page.
function withGroups(digits: string): string {
  return digits.replace(/^-?\d{4,}/, (whole) => whole.replace(/\B(?=(?:\d{3})+$)/g, ","));
}

/** The number with a fixed number of decimals, and separators between thousands. */
export function fixedInGroups(value: number, decimals: number): string {
  return spellNonFinite(value) ?? withTrueMinus(withGroups(toDecimals(value, decimals)));
}

function grouped(value: number): string {
  return withTrueMinus(withGroups(String(Math.round(value))));
}

/** The number with `digits` significant digits; scientific notation only from 1e6 and below 1e-4. */
export function significant(value: number, digits = 4): string {
  const special = spellNonFinite(value);
  if (special !== null) return special;
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-4)) {
    return withTrueMinus(value.toExponential(digits - 1).replace("e+", "e"));
  }
  if (size >= 10 ** digits) return grouped(value);
  return withTrueMinus(withGroups(String(Number(value.toPrecision(digits)))));
}

/** The number with trailing zeros. Used for numbers that are compared with each other: 0.9030 beside 0.8865. */
export function steady(value: number, digits = 4): string {
  const size = Math.abs(value);
  if (Number.isInteger(value) || !(size >= 1e-4 && size < 10 ** (digits - 1))) return significant(value, digits);
  return withTrueMinus(value.toPrecision(digits));
}

/** A formatter for the numbers of one column: 1 if all numbers are integers, 1.000 if another number is 0.9030. */
export function steadyColumn(values: Iterable<number>, digits = 4): (value: number) => string {
  const whole = [...values].every((value) => Number.isInteger(value) || !Number.isFinite(value));
  return (value) =>
    !whole && Number.isInteger(value) && Math.abs(value) < 10 ** (digits - 1)
      ? withTrueMinus(value.toPrecision(digits))
      : steady(value, digits);
}

/** The number with the fewest digits that identify it exactly. */
export function exact(value: number): string {
  return spellNonFinite(value) ?? withTrueMinus(String(value));
}

/** The message as a sentence, with a capital letter and a full stop. */
export function asSentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return (/[.!?]$/.test(first) ? first : `${first}.`).replaceAll(" %", "\u00a0%");
}

/** The integer with separators between thousands: 1,001,001. */
export function count(value: number): string {
  return grouped(value);
}

/** A count with its noun: "1 run", "2 runs". */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A ratio: "23.1×". Two decimals near 1, so that 1.002 is not shown as 1. */
export function ratio(value: number): string {
  const special = spellNonFinite(value);
  if (special !== null) return special;
  const nearOne = Math.abs(value - 1) < 0.005 && value !== 1;
  return `${nearOne ? fixed(value, 3) : value >= 10 ? significant(value, 3) : fixed(value, 2)}×`;
}

/** A fraction in per cent, without the "%" sign: 0.9945 is "99.45". */
export function percent(fraction: number, decimals = 2): string {
  return fixed(fraction * 100, decimals);
}

/** A difference of two fractions in signed percentage points: "+0.42 pp". */
export function points(difference: number, decimals = 2): string {
  const text = fixed(difference * 100, decimals);
  return `${difference > 0 ? "+" : ""}${text} pp`;
}

/** "Latency (ms)" as "Latency, ms": the form of a unit in table headers and on axes. */
export function withComma(label: string): string {
  return label.replace(/ \(([^)]*)\)$/, ", $1");
}

/** "Latency (ms)" without its unit, for places where the value has the unit. */
export function withoutUnit(label: string): string {
  return label.replace(/ \([^)]*\)$/, "");
}

const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB"] as const;

/** The exponent of the unit in which this number of bytes has one to three digits before the decimal point: 1 is kB. */
function byteUnitOf(value: number): number {
  let unit = 0;
  // Rounds first: 999.6 kB would be shown as 1,000 kB.
  for (let rest = Math.abs(value); rest >= (unit === 0 ? 1000 : 999.5) && unit < BYTE_UNITS.length - 1; rest /= 1000)
    unit += 1;
  return unit;
}

/** A number of bytes in decimal units (1 kB is 1,000 bytes) with three digits: 1.50 kB. */
export function bytes(value: number): string {
  const unit = byteUnitOf(value);
  const rest = value / 1000 ** unit;
  return `${unit === 0 ? count(value) : withTrueMinus(Math.abs(rest) < 999.5 ? rest.toPrecision(3) : withGroups(rest.toFixed(0)))} ${BYTE_UNITS[unit]}`;
}

/** A formatter for a column of bytes: the unit of the largest value, and the same decimals for all. */
export function bytesColumn(values: Iterable<number>): {
  readonly unit: string;
  readonly text: (value: number) => string;
} {
  let most = 0;
  for (const value of values) if (Number.isFinite(value)) most = Math.max(most, Math.abs(value));
  const unit = byteUnitOf(most);
  const size = most / 1000 ** unit;
  const decimals = unit === 0 ? 0 : size < 100 ? 2 : 1;
  const least = 10 ** -decimals;
  return {
    unit: BYTE_UNITS[unit]!,
    // A value that is too small for this unit is not shown as zero.
    text: (value) =>
      value > 0 && value / 1000 ** unit < least / 2
        ? `< ${fixed(least, decimals)}`
        : fixedInGroups(value / 1000 ** unit, decimals),
  };
}

/** The text of a number in a column, and how many characters of space align its decimal point. */
export interface Aligned {
  readonly text: string;
  readonly room: number;
}

function placesOf(value: number): number {
  const size = Math.abs(value);
  if (size >= 10) return 1;
  return size >= 1 || size === 0 ? 2 : Math.min(5, 2 - Math.floor(Math.log10(size)));
}

// The maximum space to align decimal points. With more space for a few tiny numbers, all other numbers would be far
// from the column's header.
const MAX_ROOM = 2;

/**
 * A formatter for a column of numbers of very different sizes: three digits or one decimal each, with aligned decimal
 * points. Only numbers far below 1 exceed the alignment. Integers stay integers if all numbers are.
 */
export function alignedColumn(values: Iterable<number>): (value: number) => Aligned {
  let most = 0;
  for (const value of values)
    if (Number.isFinite(value) && !Number.isInteger(value)) most = Math.max(most, placesOf(value));
  return (value) => {
    if (!Number.isFinite(value) || Math.abs(value) >= 1e6 || most === 0) return { text: significant(value), room: 0 };
    const places = Math.min(most, placesOf(value));
    return { text: fixedInGroups(value, places), room: Math.max(0, Math.min(most, MAX_ROOM) - places) };
  };
}

/** "4 s", "1 min 40 s", "2 h 5 min", "3 d". */
export function duration(seconds: number): string {
  const size = Math.abs(seconds);
  if (size < 1) return `${size >= 0.01 ? count(seconds * 1000) : significant(seconds * 1000, 3)} ms`;
  if (size < 60) return `${significant(seconds, 2)} s`;
  // A duration in at most two units: 100 s is "1 min 40 s", and is not rounded to 1 min on an axis.
  const two = (unit: number, name: string, part: number, partName: string): string => {
    const whole = Math.floor(size / unit);
    const rest = Math.floor((size % unit) / part);
    return `${whole} ${name}${rest > 0 ? ` ${rest} ${partName}` : ""}`;
  };
  if (size < 3600) return two(60, "min", 1, "s");
  return size < 86_400 ? two(3600, "h", 60, "min") : two(86_400, "d", 3600, "h");
}

/** The time that has passed, in one unit: after hundreds of days, the hours do not matter. */
export function ageText(seconds: number): string {
  return duration(Math.max(1, seconds)).replace(/^(\d+ (?:min|h|d)) .*$/, "$1");
}

/** The text of a tick that is the only tick, or of a tick on a log axis. */
export const tickText = (value: number): string => significant(value, 3).replace(/\.?0+e/, "e");

const MAX_DIGITS = 15; // Further digits of a double are not exact.

/** A formatter for ticks of a linear axis: all ticks have the decimals that the distance between them needs. */
export function tickTexts(ticks: readonly number[]): string[] {
  const [first = 0, second] = ticks;
  const decimals = second === undefined ? Infinity : decimalsOfStep(second - first);
  const short = ticks.map((t) =>
    Math.abs(t) >= 1e4 || decimals > 5 ? tickText(t) : decimals === 0 ? count(t) : fixed(t, decimals),
  );
  const differ = (texts: readonly string[]): boolean => new Set(texts).size === texts.length;
  if (differ(short)) return short;
  // The ticks differ only in late digits: 1,000,000.1 and 1,000,000.2.
  if (decimals <= 5 && ticks.every((t) => Math.abs(t) < 1e9)) return ticks.map((t) => fixedInGroups(t, decimals));
  for (let digits = 4; digits < MAX_DIGITS; digits += 1) {
    const texts = ticks.map((t) => significant(t, digits));
    if (differ(texts)) return texts;
  }
  return ticks.map(exact);
}

/**
 * The number of decimals for a column: the largest number shows `digits` significant digits. Fewer decimals if no
 * number needs them.
 */
export function decimalsOfColumn(values: Iterable<number>, digits = 4): number {
  let [most, needed] = [0, 0];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    most = Math.max(most, Math.abs(value));
    needed = Math.max(
      needed,
      Number(value.toPrecision(digits)).toFixed(6).replace(/0+$/, "").split(".")[1]?.length ?? 0,
    );
  }
  return most === 0 ? 0 : Math.max(0, Math.min(needed, digits - 1 - Math.floor(Math.log10(most))));
}

/** The decimals that ticks at this distance need: 0.05 needs 2. */
export function decimalsOfStep(step: number): number {
  return Math.max(0, Math.ceil(-Math.log10(Math.abs(step)) - 1e-9));
}
