import { describe, expect, it } from "vitest";
import { centred, farFirst, placed, turned, zoomed } from "./space";

const front = { yaw: 0, pitch: 0, zoom: 1 };

describe("points in space", () => {
  it("lie around the middle, as large as there is room", () => {
    const points = centred(new Float32Array([10, 0, 0, 20, 0, 0, 15, 1, 0]));
    expect(points[0]).toBeCloseTo(-1, 1);
    expect(points[3]).toBeCloseTo(1, 1);
    expect(centred(new Float32Array([5, 5, 5]))).toEqual(new Float32Array([0, 0, 0]));
    expect([...centred(new Float32Array([NaN, 0, 0, 2, 0, 0]))].some((v) => v === Infinity)).toBe(false);
  });
  it("are seen with y up, and from the side after a quarter turn", () => {
    const up = placed(new Float32Array([0, 1, 0]), front, 200, 200);
    expect(up.ys[0]).toBeLessThan(100);
    const z = new Float32Array([0, 0, 1]);
    expect(placed(z, front, 200, 200).xs[0]).toBeCloseTo(100);
    expect(placed(z, front, 200, 200).depths[0]).toBeCloseTo(1);
    expect(placed(z, turned(front, Math.PI / 2, 0), 200, 200).xs[0]).toBeGreaterThan(180);
  });
  it("are painted from far to near", () => {
    expect([...farFirst(new Float32Array([0.5, -1, 0]))]).toEqual([1, 2, 0]);
  });
  it("cannot be turned upside down or zoomed away", () => {
    expect(turned(front, 0, 9).pitch).toBeCloseTo(Math.PI / 2);
    expect(zoomed(front, 1e9).zoom).toBe(50);
  });
});
