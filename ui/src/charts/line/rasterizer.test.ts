import { describe, expect, it } from "vitest";
import { Rasterizer, pack } from "./rasterizer";
import { Columns } from "./columns";

const RED = pack(255, 0, 0);

const PIXELS = { value0: 0, at0: 0, factor: 1 }; // These values are already heights in pixels.

/** The picture as text, one character per pixel by its opacity: "#" full, "+" partial, "." none. */
function picture(rasterizer: Rasterizer): string[] {
  const bytes = new Uint8Array(rasterizer.pixels.buffer);
  return Array.from({ length: rasterizer.height }, (_, row) =>
    Array.from({ length: rasterizer.width }, (_, column) => {
      const opacity = bytes[4 * (row * rasterizer.width + column) + 3] ?? 0;
      return opacity === 255 ? "#" : opacity > 0 ? "+" : ".";
    }).join(""),
  );
}

function drawn(
  width: number,
  height: number,
  points: readonly (readonly [number, number])[],
  { opacity = 1, dash = [] as number[] } = {},
): Rasterizer {
  const rasterizer = new Rasterizer(width, height);
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  rasterizer.draw(new Columns(points.length).place(xs, points.length, width, ys), ys, PIXELS, RED, opacity, 1, dash);
  return rasterizer;
}

describe("a line of pixels", () => {
  it("is as thick as one pixel where it is flat", () => {
    expect(
      picture(
        drawn(4, 3, [
          [0, 1.5],
          [4, 1.5],
        ]),
      ),
    ).toEqual(["....", "####", "...."]);
  });

  it("shares its ink among two rows when it runs between them", () => {
    expect(
      picture(
        drawn(4, 3, [
          [0, 1],
          [4, 1],
        ]),
      ),
    ).toEqual(["++++", "++++", "...."]);
  });

  it("covers min and max of a column, however many points are in it", () => {
    const noise = Array.from({ length: 1000 }, (_, i) => [1 + i / 1000, i % 2 === 0 ? 1 : 5] as const);
    expect(picture(drawn(3, 6, noise)).map((row) => row[1])).toEqual([
      expect.stringMatching(/[.+]/),
      "#",
      "#",
      "#",
      "#",
      expect.stringMatching(/[.+]/),
    ]);
  });

  it("joins columns without a gap, however steep it is", () => {
    const rows = picture(
      drawn(3, 9, [
        [0.5, 0.5],
        [2.5, 8.5],
      ]),
    );
    for (const row of rows) expect(row).toMatch(/[#+]/);
  });

  it("stops at a hole and goes on behind it", () => {
    expect(
      picture(
        drawn(6, 1, [
          [0, 0.5],
          [1.9, 0.5],
          [3, NaN],
          [4, 0.5],
          [6, 0.5],
        ]),
      ),
    ).toEqual(["##..##"]);
  });

  it("has gaps as long as its dash says", () => {
    expect(
      picture(
        drawn(
          12,
          1,
          [
            [0, 0.5],
            [12, 0.5],
          ],
          { dash: [4, 2] },
        ),
      ),
    ).toEqual(["###..####..#"]);
  });

  it("is cut at the edges", () => {
    expect(
      picture(
        drawn(3, 3, [
          [-10, -8.5],
          [10, 11.5],
        ]),
      ).join(""),
    ).toMatch(/[#+]/);
    expect(
      picture(
        drawn(3, 2, [
          [-9, 50],
          [9, 50],
        ]),
      ),
    ).toEqual(["...", "..."]);
    expect(
      picture(
        drawn(3, 1, [
          [-9, 0.5],
          [-1, 0.5],
        ]),
      ),
    ).toEqual(["..."]);
    expect(
      picture(
        drawn(3, 1, [
          [4, 0.5],
          [9, 0.5],
        ]),
      ),
    ).toEqual(["..."]);
  });

  it("does not fill what lies between two passes of a clock that went back", () => {
    expect(
      picture(
        drawn(5, 9, [
          [0, 0.5],
          [4.9, 0.5],
          [0, 8.5],
          [4.9, 8.5],
        ]),
      )[4],
    ).toMatch(/^\.\.[#+]\.\.$/);
  });
});

it("lies over what was drawn before, which shines through when it is faint", () => {
  const rasterizer = new Rasterizer(1, 1);
  const line = [new Columns(2).place([0, 1], 2, 1), [0.5, 0.5], PIXELS] as const;
  const bytes = new Uint8Array(rasterizer.pixels.buffer);
  rasterizer.draw(...line, RED, 1, 1);
  rasterizer.draw(...line, pack(0, 0, 255), 0.5, 1);
  rasterizer.finish();
  expect([...bytes].map((byte) => Math.round(byte / 64))).toEqual([2, 0, 2, 4]);
  rasterizer.clear();
  rasterizer.draw(...line, pack(200, 100, 50), 0.25, 1);
  rasterizer.finish();
  expect(bytes[3]).toBeCloseTo(64, -1);
  expect(Math.abs((bytes[0] ?? 0) - 200)).toBeLessThan(8); // Faint, but in its own colour.
});
