import { describe, expect, it } from "vitest";
import { diff, diffLines } from "./diff";

const letters = (a: string, b: string): string =>
  diff([...a], [...b])
    .map(({ kind, items }) => ({ same: "=", gone: "-", added: "+" })[kind] + items.join(""))
    .join(" ");

describe("what differs", () => {
  it("is the shortest way from one to the other", () => {
    expect(letters("abcdef", "abxdef")).toBe("=ab -c +x =def");
    expect(letters("", "ab")).toBe("+ab");
    expect(letters("ab", "")).toBe("-ab");
    expect(letters("ab", "ab")).toBe("=ab");
    expect(letters("", "")).toBe("");
    expect(
      diff([..."abcabba"], [..."cbabac"])
        .filter(({ kind }) => kind !== "same")
        .flatMap(({ items }) => items).length,
    ).toBe(5);
  });
  it("leads from the one to the other, whatever they are", () => {
    let state = 7;
    const chance = (n: number): number => (state = (state * 1103515245 + 12345) % 2147483648) % n;
    for (let round = 0; round < 300; round += 1) {
      const make = (): number[] => Array.from({ length: chance(14) }, () => chance(4));
      const [a, b] = [make(), make()];
      const changes = diff(a, b);
      expect(changes.filter(({ kind }) => kind !== "added").flatMap(({ items }) => items)).toEqual(a);
      expect(changes.filter(({ kind }) => kind !== "gone").flatMap(({ items }) => items)).toEqual(b);
    }
  });
  it("ends for long texts that have nothing in common", () => {
    const changes = diff(
      Array.from({ length: 5000 }, (_, i) => `a${i}`),
      Array.from({ length: 5000 }, (_, i) => `b${i}`),
    );
    expect(changes.map(({ kind, items }) => [kind, items.length])).toEqual([
      ["gone", 5000],
      ["added", 5000],
    ]);
  });
  it("is shown in words where lines were replaced", () => {
    const lines = diffLines("bits: 32\nsame", "bits: 8\nsame");
    expect(lines.map(({ kind }) => kind)).toEqual(["gone", "added", "same"]);
    expect(lines[0]!.words.filter((word) => word.differs).map((word) => word.text)).toEqual(["32"]);
    expect(lines[1]!.words.map((word) => word.text).join("")).toBe("bits: 8");
  });
});
