import { describe, expect, it } from "vitest";
import { PLAIN, readMeshLook } from "./config";
import { brightness, channelsOf, facesIn } from "./paint";

it("leaves out faces that name vertices which are not there, or are nowhere", () => {
  const vertices = Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0, NaN, NaN, NaN]);
  expect([...facesIn(Int32Array.from([0, 1, 2, 0, 1, 4, -1, 0, 1, 0, 1, 3, 2]), vertices)]).toEqual([0, 1, 2]);
});

it("lights faces that face the light, from both sides", () => {
  expect(brightness(PLAIN, 0, 0, 5)).toBeCloseTo(1);
  expect(brightness(PLAIN, 0, 0, -5)).toBeCloseTo(1);
  expect(brightness(PLAIN, 3, 0, 0)).toBeCloseTo(0.45);
  // Even a face in the dark is not black on a black background.
  expect(brightness({ ...PLAIN, ambient: 0, lights: [] }, 0, 0, 1)).toBeGreaterThan(0);
});

it("knows colours as the page and as three.js write them", () => {
  expect(channelsOf("rgb(69, 77, 88)")).toEqual([69, 77, 88]);
  expect(channelsOf("#ff8800")).toEqual([255, 136, 0]);
});

describe("a mesh's configuration", () => {
  it("is honoured: camera, lights, material", () => {
    const look = readMeshLook(
      JSON.stringify({
        camera: { cls: "PerspectiveCamera", fov: 75 },
        lights: [
          { cls: "AmbientLight", color: "#ffffff", intensity: 0.25 },
          { cls: "DirectionalLight", intensity: 0.75, position: [0, -3, 4] },
        ],
        material: { cls: "MeshStandardMaterial", wireframe: true, transparent: true, opacity: 0.5, color: 0x00ff7f },
      }),
    );
    expect(look).toEqual({
      fieldOfView: 75,
      ambient: 0.25,
      lights: [{ from: [0, -0.6, 0.8], strength: 0.75 }],
      wireframe: true,
      opacity: 0.5,
      colour: "#00ff7f",
      pointSize: null,
    });
    expect(readMeshLook('{"material":{"cls":"PointsMaterial","size":0.02}}').pointSize).toBe(6);
  });
  it("of which nothing can be trusted is as if it were not there", () => {
    for (const text of [
      "",
      "null",
      "7",
      "[]",
      "{",
      '{"camera":7,"lights":{},"material":[]}',
      '{"camera":{"fov":1e9},"lights":[],"material":{"color":"url(x)","opacity":"all","size":"big"}}',
    ])
      expect(readMeshLook(text)).toEqual(PLAIN);
    expect(readMeshLook('{"camera":{"cls":"PerspectiveCamera","fov":1e300}}').fieldOfView).toBe(120);
    expect(
      readMeshLook('{"lights":[{"cls":"DirectionalLight","position":[0,0,0]},null,{"position":[1,0,0]}]}'),
    ).toEqual(PLAIN);
  });
});
