// Named ranges in an address, such as fixed y axis limits per tag: "loss~0~2". A missing number means that this side
// has no limit.
import { listOf, listText } from "./lists";

export type Limits = readonly [number | null, number | null];

export function readLimits(text: string | null): ReadonlyMap<string, Limits> {
  const limits = new Map<string, Limits>();
  for (const item of listOf(text)) {
    const parts = item.split("~");
    const [low, high] = parts
      .slice(-2)
      .map((part) => (part === "" || !Number.isFinite(Number(part)) ? null : Number(part)));
    const name = parts.slice(0, -2).join("~");
    if (name !== "" && (low !== null || high !== null)) limits.set(name, [low ?? null, high ?? null]);
  }
  return limits;
}

export function limitsText(limits: ReadonlyMap<string, Limits>): string | null {
  const items = [...limits].filter(([, [low, high]]) => low !== null || high !== null);
  return items.length > 0 ? listText(items.map(([name, [low, high]]) => `${name}~${low ?? ""}~${high ?? ""}`)) : null;
}
