import { describe, expect, it } from "vitest";
import { gain, judge, POLICIES, type Values } from "./gates";

const model = (values: Record<string, [number, number]>): Values => ({
  measured: (variant, metric) => values[metric]?.[variant === "fp32" ? 0 : 1] ?? null,
});
const balanced = POLICIES[0]!;

describe("gates", () => {
  it("name what is broken, with digits that do not contradict the verdict", () => {
    const broken = model({ accuracy: [0.69362, 0.6836], model_size_mb: [21.1, 21.6] });
    expect(judge(broken, "fp32", "int8", balanced)).toEqual({ fails: ["drop 1.002 > 1 pp", "ratio 0.98 < 3×"], checked: 2 });
  });
  it("pass over what was not logged", () => {
    expect(judge(model({}), "fp32", "int8", balanced)).toEqual({ fails: [], checked: 0 });
  });
  it("know that more throughput is better and more latency is not", () => {
    expect(gain(100, 250, true)).toBe(2.5);
    expect(gain(10, 4, false)).toBe(2.5);
    expect(gain(0, 4, false)).toBeNull();
  });
  it("read accuracies in per cent too", () => {
    expect(judge(model({ accuracy: [77.6, 9.5] }), "fp32", "int8", balanced).fails).toEqual(["drop 68.10 > 1 pp"]);
  });
});
