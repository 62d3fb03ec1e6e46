import { describe, expect, it } from "vitest";
import { parseRunFilter, passes } from "./run_filter";
import { literally } from "../../base/text/matching";

const values: Record<string, number> = { acc: 0.93, size: 12 };
const valueOf = (metric: string): number | null => values[metric] ?? null;

describe("run filter", () => {
  it("takes several regular expressions, all of which must match", () => {
    const filter = parseRunFilter("res.*18 int8$");
    expect(passes(filter, "resnet18/int8", valueOf)).toBe(true);
    expect(passes(filter, "resnet18/fp32", valueOf)).toBe(false);
  });
  it("takes conditions on logged values", () => {
    expect(passes(parseRunFilter("acc>0.9 size<=12"), "x", valueOf)).toBe(true);
    expect(passes(parseRunFilter("acc>0.95"), "x", valueOf)).toBe(false);
    expect(passes(parseRunFilter("latency<1"), "x", valueOf)).toBe(false);
    expect(passes(parseRunFilter("acc>9e-1"), "x", valueOf)).toBe(true);
  });
  it("says what is wrong instead of hiding everything", () => {
    const filter = parseRunFilter("(");
    expect(filter.problem).toContain("(");
    expect(passes(filter, "anything", valueOf)).toBe(true);
  });
});

it("finds a run whose name is quoted by literally()", () => {
  for (const name of ["a%2Fb", "two  words", "what?x=1 (b) [c]* ^d$ e|f \\g", "acc>0.5"]) {
    const filter = parseRunFilter(`^(${literally(name)})(/|$)`);
    expect(filter.problem).toBeNull();
    expect(["x", name, `${name}/val`, `${name}2`].filter((run) => passes(filter, run, () => null))).toEqual([
      name,
      `${name}/val`,
    ]);
  }
});
