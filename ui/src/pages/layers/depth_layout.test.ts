import { expect, it } from "vitest";
import type { Layer } from "../../domain/layers/layers";
import { areSpared, labelOf, layoutDepth } from "./depth_layout";

const layers = (sqnrs: readonly number[]): Layer[] =>
  sqnrs.map(
    (sqnr, i) =>
      ({
        name: `layer${i}`,
        key: `${i}`,
        sqnr,
        limits: { red_db: 20, amber_db: 30 },
        level: "good",
        carried: null,
        depth: i,
      }) as unknown as Layer,
  );

it("every layer has a stem when there is room, and the pointer finds the nearest", () => {
  const few = layers([30, 20, 10]);
  const layout = layoutDepth(few, 360, 120)!;
  expect(layout.stems.map((stem) => stem.layer.name)).toEqual(["layer0", "layer1", "layer2"]);
  expect(layout.layerAt(layout.x(1) + 2)?.name).toBe("layer1");
  expect(layout.layerAt(-50)?.name).toBe("layer0");
});

it("layers below the limit are spared if none of them fails", () => {
  const [good, low] = layers([30, 4]) as [Layer, Layer];
  expect(areSpared([good])).toBe(false);
  expect(areSpared([good, { ...low, level: "warn" }])).toBe(true);
  expect(
    areSpared([
      { ...good, level: "bad" },
      { ...low, level: "warn" },
    ]),
  ).toBe(false);
});

it("stems hang from what so many bits can keep", () => {
  const layout = layoutDepth(layers([18, 5]), 360, 120, 19.1)!;
  expect(layout.ticks).toEqual([10, 0]);
  expect(layout.y(layout.top)).toBe(layout.box.t);
  const [sound, broken] = layout.stems;
  expect(sound!.y - layout.box.t).toBeLessThan((broken!.y - layout.box.t) / 8);
});

it("what is lost goes down to the end, and does not stretch the axis", () => {
  const [sound, lost] = [layers([30, 5]), layers([30, -Infinity])].map((each) => layoutDepth(each, 360, 120)!);
  expect(lost!.ticks).toEqual(sound!.ticks);
  expect(lost!.stems[1]!.y).toBe(lost!.box.b);
  expect(labelOf(lost!, 1, -Infinity, "layer1 lost").y).toBeLessThanOrEqual(lost!.box.b + 4);
});

it("of layers that share a column of pixels the worst is seen and found", () => {
  const many = layers(Array.from({ length: 10_000 }, (_, i) => (i === 5003 ? 2 : 35)));
  const layout = layoutDepth(many, 360, 120)!;
  expect(layout.stems.length).toBeLessThanOrEqual(301);
  const [worst] = layout.stems.filter((stem) => stem.layer.sqnr === 2);
  expect(worst?.layer.name).toBe("layer5003");
  expect(layout.layerAt(worst!.x)?.name).toBe("layer5003");
});

it("a name stands inside, beside its dot, and off the line of accumulated errors", () => {
  const [first, ...rest] = layers([34, 40, 40, 40]);
  const flat = layoutDepth(
    [{ ...first!, carried: 34 }, ...rest.map((layer) => ({ ...layer, carried: 34 }))],
    800,
    128,
  )!;
  const label = labelOf(flat, 0, 34, "/conv2/Conv 34.0 dB");
  expect(label.from).toBeGreaterThan(flat.x(0));
  expect(Math.abs(label.y - flat.y(34))).toBeGreaterThan(7);
  const last = labelOf(flat, 3, 40, "a name that is much too long for what is left on the right");
  expect([last.anchor, last.to < flat.x(3)]).toEqual(["end", true]);
  const narrow = layoutDepth(layers([12, 12, 12, 12]), 390, 128)!;
  expect(labelOf(narrow, 1, 12, "/conv2/Conv 34.5 dB, worst channel 1.9 dB, which is long").to).toBeLessThanOrEqual(
    390,
  );
});
