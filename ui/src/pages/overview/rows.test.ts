import type { TableResponse } from "../../api/compression/table";
import { describe, expect, it } from "vitest";
import { readTable } from "../../api/compression/table";
import { NOT_CHECKED, type Summary } from "../../api/compression/summary";
import { brushText, differs, largestExperiment, overviewOf, readBrush } from "./rows";
import { columnNamed, filterColumns, limitsOf, unknownColumns, visibleRows, withLimits } from "./row_filter";

// The models alexnet and resnet18, with accuracy and size of fp32 and int8.
const response: TableResponse = {
  snapshot: 1,
  baseline: "fp32",
  baselines: [],
  models: ["alexnet", "resnet18"],
  model_names: ["alexnet", "resnet18"],
  experiments: ["zoo", "zoo"],
  variants: ["fp32", "int8"],
  metrics: {
    names: ["accuracy", "model_size_mb"],
    units: ["", "MB"],
    directions: ["higher", "lower"],
    labels: ["Accuracy", "Model size (MB)"],
  },
  cells: {
    models: [0, 0, 0, 0, 1, 1, 1],
    variants: [0, 1, 0, 1, 0, 1, 1],
    metrics: [0, 0, 1, 1, 0, 0, 1],
    values: [0.99, 0.99, 217, 9.4, 0.7, 0.69, 11.3],
    derived: Array(7).fill(false),
    runs: Array(7).fill("r"),
    tags: Array(7).fill("t"),
    steps: Array(7).fill(0),
    wall_times: Array(7).fill(0),
  },
};
const table = readTable(response);
const summary: Summary = {
  a: "fp32",
  b: "int8",
  quality: "accuracy",
  headlines: [],
  counts: { fail: 0, watch: 0, pass: 0, incomplete: 0, not_checked: 2 },
  verdicts: new Map([["alexnet", { ...NOT_CHECKED, state: "pass" as const, text: "passes all 2 gates" }]]),
  scores: new Map([
    ["alexnet", { score: 1.5, coverage: 0.5, kind: "logged", reason: null, formula: "v1", factors: [] }],
  ]),
};
const data = overviewOf(table, "fp32", "int8", summary)!;

describe("overview", () => {
  it("takes scores from the server, and a model without one has none", () => {
    expect(data.rows.map((row) => row.aurora?.score)).toEqual([1.5, undefined]);
  });
  it("offers every metric that B has as an axis, and only pairs as columns", () => {
    expect(data.axes.map((m) => m.name)).toEqual(["accuracy", "model_size_mb"]);
    expect(data.resources.map((m) => m.name)).toEqual(["model_size_mb"]);
  });
  it("takes verdicts from the server, and a model without one is not checked", () => {
    expect(data.rows.map((row) => row.verdict.state)).toEqual(["pass", "not_checked"]);
    expect(overviewOf(table, "fp32", "int8", { ...summary, quality: "" })).toBeNull();
  });
  it("puts what was measured before what was derived", () => {
    const [a, b] = [
      [0, 0, 0, 0, 0, 0],
      [0, 1, 0, 1, 0, 1],
    ];
    const made = overviewOf(
      readTable({
        ...response,
        metrics: {
          names: ["accuracy", "latency_mean_ms", "throughput"],
          units: ["", "ms", ""],
          directions: ["higher", "lower", "higher"],
          labels: ["Accuracy", "Latency (ms)", "Throughput"],
        },
        cells: {
          ...response.cells,
          models: a,
          variants: b,
          metrics: [0, 0, 1, 1, 2, 2],
          values: [0.9, 0.9, 1400, 1300, 10, 20],
          derived: [false, false, true, true, false, false],
        },
      }),
      "fp32",
      "int8",
      summary,
    )!;
    expect(made.resources.map((m) => m.name)).toEqual(["throughput", "latency_mean_ms"]);
  });
  it("tells models of which nothing became another number", () => {
    expect(data.rows.map(differs)).toEqual([true, true]);
    expect(overviewOf(table, "int8", "int8", summary)!.rows.map(differs)).toEqual([false, false]);
    // There is no other value to compare it with.
    expect(overviewOf(table, "int8", "none", summary)!.rows.map(differs)).toEqual([false, false]);
  });
  it("filters by words and by what B has", () => {
    const names = (words: string): string[] => visibleRows(data, words, () => true).map((row) => row.name);
    expect(names("res")).toEqual(["resnet18"]);
    expect(names("size<10")).toEqual(["alexnet"]);
    expect(names("accuracy>0.5 size>=11.3")).toEqual(["resnet18"]);
    expect(names("latency<5")).toEqual([]);
    expect(visibleRows(data, "", (row) => row.name === "alexnet")).toHaveLength(1);
  });
});

it("names what is no metric, and the experiment of most models", () => {
  expect(unknownColumns(data, "res size<3 foo>3")).toEqual(["foo"]);
  expect(largestExperiment(table.models)).toBe("zoo");
});

describe("a brush in the address", () => {
  it("comes back as it was drawn, to six digits", () => {
    const brush = { x: [1.5, 9.25] as const, y: [58, 75.125] as const };
    expect(readBrush(brushText(brush))).toEqual(brush);
  });
  it("is none when it is not four numbers", () => {
    for (const text of [null, "", "1~2~3", "1~2~3~x", "1~2~3~4~5"]) expect(readBrush(text)).toBeNull();
  });
  it("filters by every column that the table shows", () => {
    const names = (words: string): string[] => visibleRows(data, words, () => true).map(({ name }) => name);
    expect(names("drop<0.5")).toEqual(["alexnet"]);
    expect(names("drop >= 0.5")).toEqual(["resnet18"]);
    expect(names("ratio>20x")).toEqual(["alexnet"]);
    expect(names("aurora>1.2")).toEqual(["alexnet"]);
    expect(names("accuracy>0.9")).toEqual(names("accuracy>90%"));
    expect(names("size<10")).toEqual(["alexnet"]);
  });
  it("moves the limits of a column within the filter", () => {
    const columns = filterColumns(data);
    const drop = columnNamed(columns, "drop")!;
    const words = withLimits(columns, drop, "res drop<1 size<20", { min: 0.25, max: 2 });
    expect(words).toBe("res size<20 drop>=0.25 drop<=2");
    expect(limitsOf(columns, drop, words)).toEqual({ min: 0.25, max: 2 });
    expect(withLimits(columns, drop, words, { min: null, max: null })).toBe("res size<20");
  });
});
