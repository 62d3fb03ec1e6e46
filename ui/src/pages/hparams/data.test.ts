import { describe, expect, it } from "vitest";
import {
  axesOf,
  filtersText,
  inOrderOfNames,
  levelsOf,
  questionOf,
  readFilters,
  readTrials,
  usualMetric,
  usualPartner,
  type Column,
  type Filter,
} from "./data";

const response = {
  snapshot: 1,
  description: "",
  total: 2,
  hparams: {
    names: ["bits", "scheme"],
    labels: ["bits", "Scheme"],
    descriptions: ["", ""],
    types: ["number", "text"],
    values: [
      [4, 8],
      ["sym", "sym"],
    ],
  },
  metrics: { groups: [""], tags: ["acc"], labels: ["acc"], descriptions: [""], values: [[0.5, "NaN" as const]] },
  groups: { names: ["a", "b"], statuses: ["success", "unknown"], start_times: [null, null], runs: [["a"], ["b"]] },
  problems: [],
};

describe("trials", () => {
  const trials = readTrials(response);
  it("are in the natural order of their names, each with its own values", () => {
    const groups = { ...response.groups, names: ["trial_10", "trial_2"] };
    const sorted = inOrderOfNames(readTrials({ ...response, groups }));
    expect(sorted.names).toEqual(["trial_2", "trial_10"]);
    expect(sorted.runs).toEqual([["b"], ["a"]]);
    expect(sorted.columns[0]!.values).toEqual([8, 4]);
  });
  it("has a column per hyperparameter and metric, and knows which vary", () => {
    expect(trials.columns.map((c) => [c.id, c.isNumeric, c.varies])).toEqual([
      ["h:bits", true, true],
      ["h:scheme", false, false],
      ["m:\tacc", true, true],
    ]);
    expect(trials.columns[2]!.values).toEqual([0.5, NaN]);
  });
  it("requests the trials that the filters keep, in the types of the column", () => {
    const known = new Map(trials.columns.map((c) => [c.id, c]));
    const filters = new Map<string, Filter>([
      ["h:bits", { values: ["8"] }],
      ["m:\tacc", { min: 0.2, max: Infinity }],
    ]);
    expect(questionOf(filters, "-m:\tacc", known, 100)).toEqual({
      limit: 100,
      columns: [
        { metric: ["", "acc"], order: "descending" },
        { hparam: "bits", values: [8] },
        { metric: ["", "acc"], min: 0.2 },
      ],
    });
  });
  it("sorts levels as people count", () => {
    expect(levelsOf({ values: [8, 4, null, 16] })).toEqual([4, 8, 16]);
    expect(levelsOf({ values: ["x10", "x2"] })).toEqual(["x2", "x10"]);
  });
});

describe("filters in the address", () => {
  it("come back as they were, whatever the names", () => {
    const filters = new Map<string, Filter>([
      ["h:a~b;c", { values: ["x;y", "~", "ü"] }],
      ["m:g\tt", { min: -1, max: Infinity }],
      ["h:empty", { values: ["", "a"] }],
    ]);
    expect(readFilters(filtersText(filters))).toEqual(filters);
    expect(filtersText(new Map())).toBeNull();
  });
  it("leave out what was cut in half", () => {
    expect(readFilters("h:bits~%E0;h:a~b")).toEqual(new Map([["h:a", { values: ["b"] }]]));
    expect(readFilters(null).size).toBe(0);
  });
});

describe("columns that say most", () => {
  const column = (id: string, values: Column["values"]): Column => ({
    id,
    label: id,
    description: "",
    isMetric: id.startsWith("m:"),
    isNumeric: values.every((v) => v === null || typeof v === "number"),
    values,
    varies: true,
  });
  const rare = column("m:rare", [0.1, null, null, 0.2]);
  const usual = column("m:usual", [1, 2, 3, null]);
  const bits = column("h:bits", [4, 8, 8, null]);
  const scheme = column("h:scheme", ["a", "b", "a", null]);
  const late = column("h:late", [null, null, null, 1]);

  it("colours by a metric that at least half of the trials have", () => {
    expect(usualMetric([column("m:none", [1, null, null, null]), usual])).toBe(usual);
    expect(usualMetric([rare, usual])).toBe(rare);
    expect(usualMetric([column("m:one", [1, null, null, null]), column("m:other", [null, null, null, null])])?.id).toBe(
      "m:one",
    );
    expect(usualMetric([bits])).toBeUndefined();
  });

  it("sets numbers that were tried against it, where both are known", () => {
    expect(usualPartner([scheme, late, bits, usual, rare], usual)).toBe(bits);
    expect(usualPartner([usual], usual)).toBeUndefined();
  });

  it("keeps metrics among the axes, and words that cannot be read away", () => {
    const names = column(
      "h:name",
      Array.from({ length: 30 }, (_, i) => `model${i}`),
    );
    expect(axesOf([names, bits, scheme, late, rare, usual], 4)).toEqual([bits, scheme, rare, usual]);
    expect(axesOf([bits, usual], 4)).toEqual([bits, usual]);
  });
});
