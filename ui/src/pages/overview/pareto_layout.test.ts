import { describe, expect, it } from "vitest";
import { boxesAlong, touches } from "../../charts/drawing/labels";
import { layoutPareto, type ParetoInput } from "./pareto_layout";

const options = {
  width: 900,
  height: 320,
  logX: true,
  logY: false,
  xHigherIsBetter: false,
  yHigherIsBetter: true,
  front: new Set(["shufflenet", "mobilenet_v3", "resnet50"]),
};
const models: ParetoInput[] = [
  { name: "resnet50", xa: 98, ya: 80.9, xb: 25, yb: 80.3 },
  { name: "shufflenet", xa: 5.3, ya: 60.6, xb: 1.5, yb: 58 },
  { name: "mobilenet_v3", xa: 21.1, ya: 74, xb: 21.6, yb: 73 },
  { name: "lonely", xa: null, ya: null, xb: 60, yb: 70 },
];

describe("Pareto layout", () => {
  it("puts every mark inside its box and the smaller model to the left", () => {
    const layout = layoutPareto(models, options)!;
    for (const { a, b } of layout.marks) {
      for (const p of a ? [a, b] : [b]) {
        expect(p.x).toBeGreaterThanOrEqual(layout.box.l);
        expect(p.x).toBeLessThanOrEqual(layout.box.r);
        expect(p.y).toBeGreaterThanOrEqual(layout.box.t);
        expect(p.y).toBeLessThanOrEqual(layout.box.b);
      }
    }
    expect(layout.marks[0]!.b.x).toBeLessThan(layout.marks[0]!.a!.x);
  });
  it("marks the front, and those that grew", () => {
    const layout = layoutPareto(models, options)!;
    expect(layout.marks.map((m) => m.onFront)).toEqual([true, true, true, false]);
    expect(layout.marks.map((m) => m.grew)).toEqual([false, false, true, false]);
    expect(layout.front.startsWith("M")).toBe(true);
  });
  it("draws no front if none is known", () => {
    const layout = layoutPareto(models, { ...options, front: new Set() })!;
    expect(layout.front).toBe("");
    expect(layout.frontLabel).toBeNull();
    expect(layout.marks.some((m) => m.onFront)).toBe(false);
  });
  it("draws no arrow without a baseline, and no label over another or over an arrow", () => {
    const many = Array.from({ length: 120 }, (_, i) => ({
      name: `model_${i}`,
      xa: 10 + i,
      ya: 50 + (i % 7),
      xb: 3 + i / 3,
      yb: 49 + (i % 7),
    }));
    const layout = layoutPareto([...many, models[3]!], options)!;
    expect(layout.marks.at(-1)!.arrow).toBe("");
    const boxes = layout.marks.flatMap((m) => (m.label ? [m.label.box] : []));
    boxes.forEach((p, i) => boxes.slice(i + 1).forEach((q) => expect(touches(p, q)).toBe(false)));
    expect(boxes.length).toBeGreaterThan(3);
    for (const { a, b } of layout.marks) {
      if (a)
        for (const piece of boxesAlong(a.x, a.y, b.x, b.y))
          boxes.forEach((box) => expect(touches(box, piece)).toBe(false));
    }
  });
  it("ends the axis of shares at the whole", () => {
    const one = [{ name: "alexnet", xa: 200, ya: 99.4, xb: 9, yb: 99.4 }];
    expect(layoutPareto(one, options)!.y.domain[1]).toBeGreaterThan(105);
    expect(layoutPareto(one, { ...options, yMost: 100 })!.yTicks.at(-1)).toBe(100);
    // No value is outside of the axes.
    expect(layoutPareto([{ ...one[0]!, ya: 120 }], { ...options, yMost: 100 })!.y.domain[1]).toBeGreaterThan(120);
  });
  it("has nothing to say about nothing", () => {
    expect(layoutPareto([], options)).toBeNull();
    expect(layoutPareto(models, { ...options, width: 60 })).toBeNull();
  });
});
