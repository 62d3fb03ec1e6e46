import { describe, expect, it } from "vitest";
import { byDepth, layoutDepth } from "./depth_layout";
import {
  decimalsOf,
  hasHistograms,
  figureText,
  pairToShow,
  readLayers,
  sortLayers,
  sqnrText,
  usableSorts,
  type Layer,
} from "../../domain/layers/layers";

const layer = (name: string, sqnr: number, more: Partial<Layer> = {}): Layer => ({
  key: name,
  name,
  otherName: name,
  role: "output",
  parameter: "",
  depth: 0,
  a: { run: "", tag: "" },
  b: { run: "", tag: "" },
  pairedBy: "name",
  level: "good",
  cause: "none",
  causeText: "",
  causeHeadline: "No damage",
  explanation: "",
  sqnr,
  sqnrIsBound: true,
  sqnrDecimals: 1,
  sqnrBy: "sqnr_db",
  limits: { red_db: 20, amber_db: 30 },
  bits: 8,
  asEightBits: null,
  ownSqnr: null,
  worstChannel: null,
  worstChannelNumber: null,
  carriedFrom: "",
  fix: "",
  carried: null,
  cosine: null,
  mse: null,
  kl: null,
  bytes: null,
  scoreAlone: null,
  restored: null,
  w1: null,
  clipped: null,
  meanShift: null,
  rangeRatio: null,
  codesUsed: null,
  fallback: name,
  ...more,
});

describe("layers", () => {
  it("that fail never read as the limit they miss", () => {
    const textOf = (sqnr: number, red_db: number, amber_db: number): string =>
      sqnrText({ sqnr, sqnrIsBound: true, sqnrDecimals: decimalsOf(sqnr, { red_db, amber_db }) });
    expect([19.98, 20, 20.04, 29.97, 19.94, Infinity, NaN].map((sqnr) => textOf(sqnr, 20, 30))).toEqual([
      "19.98",
      "20.0",
      "20.0",
      "29.97",
      "19.9",
      "exact",
      "not measured",
    ]);
    // The limits for 4 bits.
    expect([9.58, 9.64, 19.98].map((sqnr) => textOf(sqnr, 9.6, 14.4))).toEqual(["9.58", "9.6", "20.0"]);
  });
  it("are sorted worst first, those without the number last", () => {
    const layers = [layer("a", 30), layer("b", 10, { cosine: 0.9 }), layer("c", 20, { cosine: 0.99 })];
    expect(sortLayers(layers, "sqnr").map((l) => l.name)).toEqual(["b", "c", "a"]);
    expect(sortLayers(layers, "cosine").map((l) => l.name)).toEqual(["b", "c", "a"]);
    expect(usableSorts(layers)).toEqual(["sqnr", "cosine"]);
    const imported = [
      layer("a", NaN, { mse: 0.1, scoreAlone: 0.7 }),
      layer("b", NaN, { mse: 0.5, scoreAlone: 0.75 }),
      layer("c", NaN, { mse: NaN }),
    ];
    expect(sortLayers(imported, "mse").map((l) => l.name)).toEqual(["b", "a", "c"]);
    expect(sortLayers(imported, "alone").map((l) => l.name)).toEqual(["a", "b", "c"]);
    const verified = [
      layer("a", 10, { restored: -0.2 }),
      layer("b", 20, { restored: 6.8 }),
      layer("c", 5),
      layer("d", 30, { restored: Infinity }),
    ];
    expect(sortLayers(verified, "restored").map((l) => l.name)).toEqual(["d", "b", "a", "c"]);
  });
  it("keep the server's order where no SQNR is known, as of imported scores", () => {
    const layers = [layer("worse", NaN), layer("better", NaN), layer("measured", 50)];
    expect(sortLayers(layers, "sqnr").map((l) => l.name)).toEqual(["measured", "worse", "better"]);
    expect(layers.map(sqnrText)).toEqual(["not measured", "not measured", "50.0"]);
    expect(sqnrText(layer("exact", Infinity, { sqnrIsBound: false }))).toBe("exact");
    expect(sqnrText(layer("lost", -Infinity, { sqnrIsBound: false }))).toBe("lost");
  });
  it("have one number, which is named where it is not their SQNR", () => {
    expect(
      figureText(
        layer("a", 1.9, {
          level: "bad",
          sqnrBy: "worst_channel_sqnr_db",
          sqnrIsBound: false,
          worstChannel: 1.9,
          ownSqnr: 34.5,
        }),
      ),
    ).toBe("1.9 dB, worst channel");
    expect(figureText(layer("b", 13, { level: "bad", sqnrBy: "weighted_sqnr_db", sqnrIsBound: false }))).toBe(
      "13.0 dB, weighted",
    );
    expect(figureText(layer("c", 12, { level: "bad", sqnrIsBound: false }))).toBe("12.0 dB");
    expect(figureText(layer("d", 12, { sqnrBy: "sqnr_at_most_db" }))).toBe("≤ 12.0 dB");
    expect(
      figureText(layer("e", -Infinity, { level: "bad", sqnrBy: "worst_channel_sqnr_db", sqnrIsBound: false })),
    ).toBe("lost, worst channel");
    expect(figureText(layer("f", NaN, { level: "open", sqnrBy: "" }))).toBe("not measured");
  });
  it("draw the number that they print and compare with the limits, whatever their bits", () => {
    const response = {
      limits: { bits: 8, red_db: 20, amber_db: 30 },
      layers: {
        names: ["conv4bit"],
        variant_names: ["conv4bit"],
        roles: ["output"],
        parameters: [""],
        depths: [0],
        a_runs: [""],
        a_tags: [""],
        b_runs: [""],
        b_tags: [""],
        paired_by: ["name"],
        levels: ["green"],
        causes: ["none"],
        cause_texts: [""],
        cause_headlines: ["No damage"],
        carried_from: [""],
        fixes: [],
        explanations: [""],
        severities: [0.07],
        times_median: [1],
        from_logged: [true],
        judged_by: ["sqnr_db"],
        judged_db: [11.7],
        judged_is_bound: [false],
        red_db: [9.6],
        amber_db: [14.3],
        bits: [4],
        as_8_bits_db: [24.5],
        sqnr_db: [11.7],
        worst_channel_sqnr_db: [null],
        accumulated_sqnr_db: [null],
        worst_channel: [null],
        cosine: [null],
        mse: [null],
        bytes: [null],
        score_alone: [null],
        restored_alone_db: [null],
        sqnr_at_most_db: [null],
        w1_by_sigma: [null],
        range_ratio: [null],
        mean_shift_by_sigma: [null],
        kl: [null],
        clipped_share: [null],
        codes_used: [null],
        fallback_operations: ["conv4bit"],
      },
    };
    const [read] = readLayers(response);
    expect(sqnrText(read!)).toBe("11.7");
    const layout = layoutDepth([read!], 600, 128)!;
    expect(layout.stems[0]!.y).toBeCloseTo(layout.y(11.7), 0);
    expect(layout.rule[0]![1]).toBeCloseTo(layout.y(9.6), 5);
    expect(read!.asEightBits).toBe(24.5); // A column of its own.
  });
  it("that were not measured are drawn nowhere, and stand last", () => {
    const layers = [layer("open", NaN, { level: "open" }), layer("good", 50)];
    expect(sortLayers(layers, "sqnr").map((l) => l.name)).toEqual(["good", "open"]);
    expect(layoutDepth(layers, 600, 128)!.stems.map((stem) => stem.layer.name)).toEqual(["good"]);
  });
  it("that may be victims come behind all others that fail", () => {
    const layers = [
      layer("victim", 0.4, { level: "bad", carriedFrom: "first" }),
      layer("first", 0.6, { level: "bad" }),
      layer("good", 50),
    ];
    expect(sortLayers(layers, "sqnr").map((l) => l.name)).toEqual(["first", "victim", "good"]);
  });
  it("have histograms when both sides have a tag", () => {
    const tagged = { run: "r", tag: "t" };
    expect(hasHistograms(layer("a", 1, { a: tagged, b: tagged }))).toBe(true);
    expect(hasHistograms(layer("a", 1, { a: tagged }))).toBe(false);
  });
  it("stand along depth as they were logged, of one layer in the order of their numbers", () => {
    const layers = [layer("fc", 1, { depth: 2 }), layer("stem", 1, { depth: 1 }), layer("a10", 1), layer("a2", 1)];
    expect(byDepth(layers).map((l) => l.name)).toEqual(["a2", "a10", "stem", "fc"]);
  });
  it("hang from 40 dB and stay inside, infinities and negative ones too", () => {
    const layout = layoutDepth([layer("a", Infinity), layer("b", -15), layer("c", 38)], 600, 128)!;
    expect(layout.y(40)).toBe(layout.box.t);
    expect(layout.y(-15)).toBeLessThanOrEqual(layout.box.b);
    const lost = layoutDepth([layer("a", 35), layer("b", -96.9)], 600, 128)!;
    expect(lost.y.domain[0]).toBeGreaterThan(-30); // The others stay readable.
    expect(lost.stems[1]!.y).toBeLessThanOrEqual(lost.box.b);
  });
});

describe("the pair whose layers are shown", () => {
  const sides = (models: string[], variants: string[], tableVariants: string[] = variants.map(() => "")) => ({
    snapshot: 1,
    models,
    variants,
    table_variants: tableVariants,
    runs: variants,
    tensor_counts: variants.map(() => 1),
  });
  const stages = sides(
    ["s", "s", "s"],
    ["initial_graph", "thresholds_selection", "after_quantization"],
    ["float", "", "quantized"],
  );

  it("is that of the header, by the names of the log or of the table", () => {
    const named = { model: null, a: "float", b: "quantized" };
    expect(pairToShow(stages, named)).toEqual(named);
    const swapped = { model: "s", a: "quantized", b: "float" };
    expect(pairToShow(stages, swapped)).toEqual(swapped);
  });
  it("is the ends of the stages, or the first two sides of one model, where the header's logged none", () => {
    const header = { model: null, a: "fp32", b: "int8" };
    expect(pairToShow(stages, header)).toEqual({ model: "s", a: "initial_graph", b: "after_quantization" });
    expect(pairToShow(sides(["t", "t", "u"], ["baseline", "tune_1", "x"]), header)).toEqual({
      model: "t",
      a: "baseline",
      b: "tune_1",
    });
    expect(pairToShow(sides(["t"], ["baseline"]), header)).toBeNull();
  });
});
