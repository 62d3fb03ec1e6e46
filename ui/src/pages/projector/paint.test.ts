import { expect, it } from "vitest";
import { FIRST_CAMERA } from "../../base/math/space";
import { colouringOf } from "./labels";
import { paintScene, type Inks } from "./paint";

it("frames of pictures tell ten kinds apart, though there are eight colours", () => {
  const rows = Array.from({ length: 10 }, (_, digit) => [String(digit)]);
  const frames: string[] = [];
  let dashes = "";
  const pen = {
    strokeStyle: "",
    measureText: () => ({ width: 0 }),
    setLineDash: (parts: number[]) => (dashes = parts.join(",")),
    strokeRect: () => frames.push(`${pen.strokeStyle} ${dashes}`),
  };
  // All other methods of the canvas do nothing.
  const context = new Proxy(pen, {
    get: (of, name) => Reflect.get(of, name) ?? (() => undefined),
  }) as unknown as CanvasRenderingContext2D;
  const inks: Inks = {
    ink: "",
    dim: "",
    paper: "",
    line: "",
    runs: Array.from({ length: 9 }, (_, i) => `run-${i}`),
    heats: [],
    font: "",
  };
  paintScene(
    context,
    {
      points: Float32Array.from({ length: 30 }, (_, i) => Math.sin(i)),
      camera: FIRST_CAMERA,
      colouring: colouringOf({ columns: ["digit"], rows }, 0),
      marked: new Set(),
      chosen: -1,
      sprite: { image: {} as HTMLImageElement, size: { width: 8, height: 8, columns: 4 } },
      nameOf: String,
      axes: [],
    },
    inks,
    400,
    300,
  );
  expect(new Set(frames).size).toBe(10);
});
