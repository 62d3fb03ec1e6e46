import { describe, expect, it } from "vitest";
import { readSummary, shortVerdict, toneOfVerdict, type SummaryResponse } from "./summary";

const response: SummaryResponse = {
  snapshot: 1,
  policy: "balanced",
  a: "fp32",
  b: "int8",
  quality: "accuracy",
  headlines: {
    names: ["Best speedup"],
    figures: ["2.33×"],
    units: [""],
    notes: ["2 measured, by latency"],
    models: ["net"],
  },
  counts: { fail: 1, watch: 0, pass: 0, incomplete: 1, not_checked: 0 },
  models: ["net", "half"],
  states: ["fail", "incomplete"],
  texts: ["drop 4.20 > 1 pp; ratio not measured", "passes 1 of 3 gates; ratio, speedup not measured"],
  fails: [["drop 4.20 > 1 pp"], []],
  not_measured: [["ratio"], ["ratio", "speedup"]],
  layers: {
    red: [0, 0],
    amber: [0, 0],
    green: [0, 0],
    unmeasured: [0, 3],
    worst: ["", ""],
    not_measured: ["", "only float"],
  },
  aurora: {
    models: [1],
    scores: [1.5],
    coverages: [0.6],
    kinds: ["computed"],
    reasons: [null],
    formulas: ["v1"],
    factors: [{ quality: 0.75, penalty: 2 }],
    weights: [{ quality: 0.4 }],
  },
  gates: {
    models: [0, 0, 1],
    metrics: ["accuracy", "model_size_mb", "accuracy"],
    rules: ["drop ≤ 1 pp", "ratio ≥ 3×", "drop ≤ 1 pp"],
    outcomes: ["fail", "missing", "pass"],
    texts: ["4.20 pp", "", "0.10 pp"],
  },
};

describe("a summary", () => {
  it("has one verdict per model, with the gates of that model alone", () => {
    const { verdicts, headlines } = readSummary(response);
    expect(verdicts.get("net")?.gates.map((gate) => gate.outcome)).toEqual(["fail", "missing"]);
    expect(verdicts.get("half")?.layers.notMeasured).toBe("only float");
    expect(headlines[0]).toEqual({
      name: "Best speedup",
      figure: "2.33×",
      unit: "",
      note: "2 measured, by latency",
      model: "net",
    });
  });
  it("is green only for what was checked and is good", () => {
    expect((["pass", "watch", "incomplete", "not_checked", "fail"] as const).map(toneOfVerdict)).toEqual([
      "good",
      "warn",
      "open",
      "open",
      "bad",
    ]);
    const { verdicts } = readSummary(response);
    expect(shortVerdict(verdicts.get("half")!)).toBe("not fully checked");
    expect(shortVerdict(verdicts.get("net")!)).toBe("drop 4.20 > 1 pp");
  });
  it("has the score of each model that has both variants, with its factors", () => {
    const { scores } = readSummary(response);
    expect([...scores.keys()]).toEqual(["half"]);
    expect(scores.get("half")).toMatchObject({ score: 1.5, coverage: 0.6, kind: "computed", reason: null });
    expect(scores.get("half")?.factors).toEqual([
      { name: "quality", factor: 0.75, weight: 0.4 },
      { name: "penalty", factor: 2, weight: null },
    ]);
  });
  it("does not take a state that it does not know for good news", () => {
    const { verdicts } = readSummary({ ...response, states: ["splendid", "pass"] });
    expect(verdicts.get("net")?.state).toBe("not_checked");
  });
});
