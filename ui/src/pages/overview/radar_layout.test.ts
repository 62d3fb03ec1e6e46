import { describe, expect, it } from "vitest";
import { layoutRadar, withTick, type Spoke } from "./radar_layout";

const spokes: Spoke[] = [
  { name: "Accuracy", gains: [1, 0.98] },
  { name: "Model size", gains: [4, null] },
  { name: "Latency", gains: [2, 3] },
  { name: "Memory", gains: [1, 2] },
];

describe("the radar", () => {
  it("puts break-even on one ring, and what is better further out", () => {
    const layout = layoutRadar(spokes, 600, 280)!;
    const even = layout.rings.find((ring) => ring.even)!.r;
    const far = ({ x, y }: { x: number; y: number }): number => Math.hypot(x - layout.centre.x, y - layout.centre.y);
    const [accuracy, size] = layout.shapes[0]!.corners;
    expect(far(accuracy!)).toBeCloseTo(even);
    expect(far(size!)).toBeGreaterThan(even);
    expect(far(layout.shapes[1]!.corners[0]!)).toBeLessThan(even);
  });
  it("has no corner where a side was not logged", () => {
    expect(layoutRadar(spokes, 600, 280)!.shapes[1]!.corners).toHaveLength(3);
  });
  it("needs three spokes and some room", () => {
    expect(layoutRadar(spokes.slice(0, 2), 600, 280)).toBeNull();
    expect(layoutRadar(spokes, 200, 80)).toBeNull();
  });
  it("takes five models at most", () => {
    expect(["a", "b", "c", "d", "e", "f"].reduce<string[]>((ticked, name) => withTick(ticked, name), [])).toEqual([
      "b",
      "c",
      "d",
      "e",
      "f",
    ]);
    expect(withTick(["a", "b"], "a")).toEqual(["b"]);
  });
});
