import { describe, expect, it } from "vitest";
import {
  centred,
  cameraText,
  farFirst,
  FIRST_CAMERA,
  lostPoints,
  moved,
  placed,
  readCamera,
  turned,
  zoomed,
} from "./space";

const front = { yaw: 0, pitch: 0, zoom: 1, x: 0, y: 0 };

describe("points in space", () => {
  it("lie around the middle, as large as there is room", () => {
    const points = centred(new Float32Array([10, 0, 0, 20, 0, 0, 15, 1, 0]));
    expect(points[0]).toBeCloseTo(-1, 1);
    expect(points[3]).toBeCloseTo(1, 1);
    expect(centred(new Float32Array([5, 5, 5]))).toEqual(new Float32Array([0, 0, 0]));
  });
  it("are nowhere when a coordinate is no number, and leave the others where they are", () => {
    const points = centred(new Float32Array([Infinity, 0, 0, 10, 0, 0, 20, 0, 0, 0, NaN, 5]));
    expect([...points]).toEqual([NaN, NaN, NaN, -1, 0, 0, 1, 0, 0, NaN, NaN, NaN]);
    expect(lostPoints(points)).toBe(2);
    expect([...farFirst(placed(points, front, 200, 200).depths)]).toEqual([1, 2]);
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
  it("are larger where they are nearer, if the camera is near", () => {
    const { xs } = placed(new Float32Array([0.5, 0, 0.8, 0.5, 0, -0.8]), front, 200, 200, 60);
    expect(xs[0]).toBeGreaterThan(xs[1]! + 10);
  });
  it("are moved as far as the pointer", () => {
    const { xs, ys } = placed(new Float32Array([0, 0, 0]), moved(front, 0.5, 0.25), 400, 200);
    expect([xs[0], ys[0]]).toEqual([250, 75]);
  });
  it("are seen from where an address says", () => {
    const camera = { yaw: 1.25, pitch: -0.5, zoom: 2, x: 0.1, y: -0.2 };
    expect(readCamera(cameraText(camera, FIRST_CAMERA), FIRST_CAMERA)).toEqual(camera);
    expect(cameraText(FIRST_CAMERA, FIRST_CAMERA)).toBeNull();
    for (const text of [null, "", "1~2", "a~b~c~d~e", "1~1~0~0~0", "1~1~1~1~Infinity"])
      expect(readCamera(text, FIRST_CAMERA)).toEqual(FIRST_CAMERA);
    expect(readCamera("0~9~1e9~0~0", FIRST_CAMERA)).toEqual({ yaw: 0, pitch: Math.PI / 2, zoom: 50, x: 0, y: 0 });
  });
  it("cannot be turned upside down or zoomed away", () => {
    expect(turned(front, 0, 9).pitch).toBeCloseTo(Math.PI / 2);
    expect(zoomed(front, 1e9).zoom).toBe(50);
  });
});
