import { expect, it } from "vitest";
import { tellingFirst, type Tagged } from "./series_order";

const order = (...all: Tagged[]): string[] => [...all].sort(tellingFirst).map(({ tag }) => tag);
const over = (tag: string): Tagged => ({ tag, steps: [0, 9] });
const once = (tag: string): Tagged => ({ tag, steps: [0, 0] });

it("what changes over steps comes before what was logged once", () => {
  expect(order(once("a"), over("z"), once("b"), over("layer10"), over("layer2"))).toEqual([
    "layer2",
    "layer10",
    "z",
    "a",
    "b",
  ]);
});

it("biases come after weights, whatever a framework calls them", () => {
  expect(order(over("biases/conv0"), over("weights/conv0"))).toEqual(["weights/conv0", "biases/conv0"]);
  expect(order(over("fc1.bias"), over("fc1.weight"), over("fc2.weight"))).toEqual([
    "fc1.weight",
    "fc2.weight",
    "fc1.bias",
  ]);
  expect(order(over("unbiased"), over("weights"))).toEqual(["unbiased", "weights"]);
  expect(order(once("bias"), once("weight"), over("bias"))).toEqual(["bias", "weight", "bias"]);
});
