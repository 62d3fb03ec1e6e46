import type { VerifiedResponse } from "../../api/compression/layers";
import { expect, test } from "vitest";
import { bestParts, runsOf, tensorsText } from "./verified_runs";

const response: VerifiedResponse = {
  summary: "these 3 parts in float bring the end from 5.2 to 17.8 dB",
  ends: ["/head"],
  samples: 20,
  texts: ["as it is", "three parts", "everything in float", "a part"],
  parts: [
    { layers: [], tensors: [] },
    { layers: ["/a", "/b", "/a"], tensors: ["output", "weight", "weight"] },
    { layers: [], tensors: [] },
    { layers: ["/c"], tensors: ["weight"] },
  ],
  sqnr_db: [5.2, 17.8, "Infinity", null],
  gains_db: [0, 12.6, "Infinity", null],
  why_not: ["", "", "", "cannot load"],
  best: 1,
};

test("parts of a layer are named together, in the order in which layers were found", () => {
  expect(bestParts(response)).toEqual([
    { layer: "/a", tensors: ["output", "weight"] },
    { layer: "/b", tensors: ["weight"] },
  ]);
  expect(tensorsText(["output", "weight"])).toBe("output and weights");
  expect(bestParts({ ...response, best: null })).toEqual([]);
});

test("a run that failed has no number, and an exact one is no missing one", () => {
  const [, , everything, failed] = runsOf(response);
  expect(everything).toMatchObject({ sqnr: Infinity, gain: Infinity, whyNot: "" });
  expect(failed).toMatchObject({ sqnr: null, gain: null, whyNot: "cannot load" });
});
