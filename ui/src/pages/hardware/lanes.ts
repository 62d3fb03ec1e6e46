// The lanes of the Hardware page: series of a monitor below hardware/, without single cores and without the summary
// values that the monitor logs at the end.
import { byNumber } from "../../base/text/natural";

export interface Lane {
  readonly tag: string;
  readonly name: string; // The group: "CPU".
  readonly unit: string; // The unit: "%".
}

const GROUPS = ["cpu", "process", "gpu", "memory", "power", "temperature", "disk", "network"] as const;

const UNITS: readonly (readonly [RegExp, string])[] = [
  [/_?percent$/, "%"],
  [/_mb_s$/, "MB/s"],
  [/_mb$/, "MB"],
  [/_w$/, "W"],
  [/_c$/, "°C"],
];

const SPELLED: Readonly<Record<string, string>> = { cpu: "CPU", rss: "RSS", gpu: "GPU", dram: "DRAM" };

const groupRank = (tag: string): number => {
  const at = GROUPS.findIndex((group) => tag.startsWith(`hardware/${group}`));
  return at < 0 ? GROUPS.length : at;
};

export function laneOf(tag: string): Lane | null {
  const [root, group = "", ...rest] = tag.split("/");
  const last = rest.join("/");
  if (root !== "hardware" || group === "summary" || last === "" || /^core_\d+_percent$/.test(last)) return null;
  const [pattern, unit] = UNITS.find(([ending]) => ending.test(last)) ?? [/$^/, ""];
  const words = `${group}_${last.replace(pattern, "")}`.split("_").filter(Boolean);
  const name = words
    .map((word, i) => SPELLED[word] ?? (i === 0 ? word.charAt(0).toUpperCase() + word.slice(1) : word))
    .join(" ");
  return { tag, name, unit };
}

const [USED, AVAILABLE] = ["hardware/memory/system_used_mb", "hardware/memory/system_available_mb"];

/**
 * The order of lanes: processors first, then memory, power and temperature; lanes with a number are sorted by it. Free
 * memory is left out if used memory was logged, because both curves show the same.
 */
export function lanesOf(tags: readonly string[]): Lane[] {
  const told = tags.includes(USED) ? tags.filter((tag) => tag !== AVAILABLE) : tags;
  return told
    .flatMap((tag) => laneOf(tag) ?? [])
    .sort((p, q) => groupRank(p.tag) - groupRank(q.tag) || byNumber(p.tag, q.tag));
}

export interface Summary {
  readonly mean: number;
  readonly p95: number;
  readonly peak: number;
  readonly least: number;
  /** The integral of the curve by the trapezoidal rule: joules if the values are watts. */
  readonly area: number;
}

/** Statistics of the finite values; null if there are none. */
export function summarize(seconds: ArrayLike<number>, values: ArrayLike<number>): Summary | null {
  const known = Array.from(values, (value, i) => ({ value, at: seconds[i] ?? 0 })).filter(({ value }) =>
    Number.isFinite(value),
  );
  if (known.length === 0) return null;
  const sorted = known.map(({ value }) => value).sort((p, q) => p - q);
  let area = 0;
  for (let i = 1; i < known.length; i += 1) {
    const [p, q] = [known[i - 1]!, known[i]!];
    area += ((p.value + q.value) / 2) * (q.at - p.at);
  }
  return {
    mean: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
    p95: sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * 0.95) - 1)] ?? NaN,
    peak: sorted.at(-1) ?? NaN,
    least: sorted[0] ?? NaN,
    area,
  };
}
