import { expect, it } from "vitest";
import type { Layer } from "./data";
import { layoutDepth } from "./depth_layout";

const layers = (sqnrs: readonly number[]): Layer[] => sqnrs.map((sqnr, i) => ({ name: `layer${i}`, key: `${i}`, sqnr, judged: sqnr, level: "good", carried: null, depth: i }) as unknown as Layer);

it("every layer has a stem when there is room, and the pointer finds the nearest", () => {
  const few = layers([30, 20, 10]);
  const layout = layoutDepth(few, 360, 120)!;
  expect(layout.stems.map((stem) => stem.layer.name)).toEqual(["layer0", "layer1", "layer2"]);
  expect(layout.layerAt(layout.x(1) + 2)?.name).toBe("layer1");
  expect(layout.layerAt(-50)?.name).toBe("layer0");
});

it("of layers that share a column of pixels the worst is seen and found", () => {
  const many = layers(Array.from({ length: 10_000 }, (_, i) => (i === 5003 ? 2 : 35)));
  const layout = layoutDepth(many, 360, 120)!;
  expect(layout.stems.length).toBeLessThanOrEqual(301);
  const [worst] = layout.stems.filter((stem) => stem.layer.sqnr === 2);
  expect(worst?.layer.name).toBe("layer5003");
  expect(layout.layerAt(worst!.x)?.name).toBe("layer5003");
});
