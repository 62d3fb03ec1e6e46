import { describe, expect, it } from "vitest";
import { chooseLooks, hashOf, ownLook } from "./look_choice";

const NONE: ReadonlyMap<string, number> = new Map();
const runs = (count: number): string[] => Array.from({ length: count }, (_, i) => `train/seed-${i}`);

describe("the look of one run", () => {
  it("depends on its name alone", () => {
    expect(ownLook("train/a")).toEqual(ownLook("train/a"));
    expect(hashOf("")).toBe(0x811c9dc5);
    expect(hashOf("a")).toBe(0xe40c292c);
  });
  it("is that of the pair for runs that name a variant", () => {
    expect(ownLook("alexnet/accuracy/fp32").colour).toBe(1);
    expect(ownLook("alexnet/accuracy/int8")).toEqual({ colour: 2, dash: [6, 3] });
    expect(ownLook("net/int8/histogram_per_channel").colour).toBe(2);
    expect(ownLook("runs/eval/baseline_acc_0.776").colour).toBe(1);
  });
});

describe("the looks of runs that are visible together", () => {
  it("have as many colours as runs, up to eight", () => {
    for (const count of [1, 2, 5, 8]) {
      const looks = [...chooseLooks(runs(count), NONE).values()];
      expect(new Set(looks.map(({ colour }) => colour)).size).toBe(count);
    }
  });
  it("differ in colour or dash, up to 32", () => {
    const looks = [...chooseLooks(runs(32), NONE).values()];
    expect(new Set(looks.map((look) => JSON.stringify(look))).size).toBe(32);
    expect(chooseLooks(runs(500), NONE).size).toBe(500);
  });
  it("differ also where several runs are called like a variant of the pair", () => {
    const looks = chooseLooks(["a/fp32", "a/int8", "b/fp32", "b/int8"], NONE);
    expect(looks.get("a/fp32")).toEqual(ownLook("fp32"));
    expect(looks.get("a/int8")).toEqual(ownLook("int8"));
    expect(new Set([...looks.values()].map(({ colour }) => colour)).size).toBe(4);
  });
  it("take the colour that the user has fixed, and no other run has it", () => {
    const looks = chooseLooks(runs(8), new Map([["train/seed-5", 3]]));
    expect(looks.get("train/seed-5")).toEqual({ colour: 3, dash: [] });
    expect([...looks.values()].filter(({ colour }) => colour === 3)).toHaveLength(1);
  });
  it("keep the colour of a run while no other wants it", () => {
    const [first = ""] = runs(1);
    expect(chooseLooks([first], NONE).get(first)?.colour).toBe(ownLook(first).colour);
  });
});
