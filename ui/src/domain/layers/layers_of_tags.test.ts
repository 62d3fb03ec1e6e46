import { expect, it } from "vitest";
import { layersOfTags } from "./layers_of_tags";

it("finds each layer once, of our own writers and of others, and nothing else", () => {
  expect(
    layersOfTags([
      "net/layers/layer1/0/conv/weight/int8",
      "net/layers/layer1/0/conv/sqnr_db/int8",
      "conv1/Output/fp32",
      "conv1/weight/int8",
      "net/metrics/accuracy/int8",
      "net/performance/latency_ms/int8",
      "net/latency_distribution/int8",
      "net/per_class/accuracy/cat/int8",
      "loss",
    ]),
  ).toEqual([
    { model: "net", layer: "layer1/0/conv" },
    { model: null, layer: "conv1" },
  ]);
});
