import { describe, expect, it } from "vitest";
import { layoutRidges } from "./layout";

const data = { steps: [0, 10], lefts: [[0, 1], [0, 1]], rights: [[1, 3], [1, 3]], counts: [[10, 10], [0, 20]] };

describe("ridges", () => {
  it("stand one behind the other, the newest in front", () => {
    const layout = layoutRidges(data, 400, 200, false)!;
    expect(layout.ridges[0]!.baseline).toBeLessThan(layout.ridges[1]!.baseline);
    expect(layout.ridges[1]!.age).toBe(1);
  });
  it("show density, so that a wide bin is not taken for a full one", () => {
    const layout = layoutRidges({ steps: [0], lefts: [[0, 1]], rights: [[1, 3]], counts: [[10, 10]] }, 400, 200, true)!;
    const heights = [...layout.ridges[0]!.path.matchAll(/V([\d.]+)/g)].map((m) => Number(m[1]));
    expect(heights[0]!).toBeLessThan(heights[1]!); // The narrow bin is the taller one.
  });
  it("have nothing to draw without values", () => {
    expect(layoutRidges({ steps: [0], lefts: [[0]], rights: [[1]], counts: [[0]] }, 400, 200, false)).toBeNull();
  });
});
