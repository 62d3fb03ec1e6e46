import { describe, expect, it } from "vitest";
import { byDepth, layoutDepth } from "./depth_layout";
import { fallbackSnippet, hasHistograms, sortLayers, sqnrText, usableSorts, type Layer } from "./data";

const layer = (name: string, sqnr: number, more: Partial<Layer> = {}): Layer => ({
  key: name, name, otherName: name, role: "output", parameter: "", a: { run: "", tag: "" }, b: { run: "", tag: "" },
  pairedBy: "name", level: "good", cause: "none", explanation: "", sqnr, sqnrIsBound: true, worstChannel: null,
  carried: null, cosine: null, w1: null, clipped: null, meanShift: null, rangeRatio: null, codesUsed: null, fallback: name, ...more,
});

describe("layers", () => {
  it("are sorted worst first, those without the number last", () => {
    const layers = [layer("a", 30), layer("b", 10, { cosine: 0.9 }), layer("c", 20, { cosine: 0.99 })];
    expect(sortLayers(layers, "sqnr").map((l) => l.name)).toEqual(["b", "c", "a"]);
    expect(sortLayers(layers, "cosine").map((l) => l.name)).toEqual(["b", "c", "a"]);
    expect(usableSorts(layers)).toEqual(["sqnr", "cosine"]);
  });
  it("keep the server's order where no SQNR is known, as of imported scores", () => {
    const layers = [layer("worse", NaN), layer("better", NaN), layer("measured", 50)];
    expect(sortLayers(layers, "sqnr").map((l) => l.name)).toEqual(["measured", "worse", "better"]);
    expect(layers.map(sqnrText)).toEqual(["–", "–", "50.0"]);
    expect(sqnrText(layer("exact", Infinity))).toBe("∞");
  });
  it("have histograms when both sides have a tag", () => {
    const tagged = { run: "r", tag: "t" };
    expect(hasHistograms(layer("a", 1, { a: tagged, b: tagged }))).toBe(true);
    expect(hasHistograms(layer("a", 1, { a: tagged }))).toBe(false);
  });
  it("stand in the order of their numbers along depth", () => {
    expect(byDepth([layer("layer10", 1), layer("layer2", 1)]).map((l) => l.name)).toEqual(["layer2", "layer10"]);
  });
  it("hang from 40 dB and stay inside, infinities and negative ones too", () => {
    const layout = layoutDepth([layer("a", Infinity), layer("b", -15), layer("c", 38)], 600, 128)!;
    expect(layout.y(40)).toBe(layout.box.t);
    expect(layout.y(-15)).toBeLessThanOrEqual(layout.box.b);
  });
  it("become a snippet that keeps them in fp32, quotes escaped", () => {
    expect(fallbackSnippet(["a/b", "it's"], "ONNX Runtime")).toBe("nodes_to_exclude = ['a/b', 'it\\'s']");
    expect(fallbackSnippet(["v0/conv"], "neural-compressor 1.x")).toContain("'v0/conv': {'activation': {'dtype': ['fp32']}");
  });
});
