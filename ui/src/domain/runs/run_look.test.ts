import { describe, expect, it } from "vitest";
import { hashOf, lookOf } from "./run_look";

describe("looks of runs", () => {
  it("depend on the name alone", () => {
    expect(lookOf("train/a")).toEqual(lookOf("train/a"));
    expect(hashOf("")).toBe(0x811c9dc5);
    expect(hashOf("a")).toBe(0xe40c292c);
  });
  it("give the pair its colours wherever it stands", () => {
    expect(lookOf("alexnet/accuracy/fp32").colour).toBe(1);
    expect(lookOf("alexnet/accuracy/int8")).toEqual({ colour: 2, dash: [6, 3] });
    expect(lookOf("runs/eval/baseline_acc_0.776").colour).toBe(1);
  });
  it("spread over all colours and dashes", () => {
    const seen = new Set(Array.from({ length: 500 }, (_, i) => JSON.stringify(lookOf(`run-${i}`))));
    expect(seen.size).toBe(32);
  });
});
