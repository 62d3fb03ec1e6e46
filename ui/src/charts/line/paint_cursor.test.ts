import { describe, expect, it } from "vitest";
import { SvgPen } from "../drawing/pen";
import { layoutLines, type Line } from "./layout";
import { paintCursor } from "./paint_cursor";

const lines: Line[] = [
  { name: "a", xs: [0, 10, 20], ys: [1, 2, 3], smooth: null },
  { name: "b", xs: [0, 10, 20], ys: [3, NaN, 1], smooth: null },
  { name: "c", xs: [4, 6], ys: [2, 2], smooth: [5, 5] },
];
const layout = layoutLines(lines, {
  width: 400,
  height: 200,
  logX: false,
  logY: false,
  clipOutliers: false,
  xRange: null,
  yRange: [0, 6],
  xText: String,
})!;
const looks = lines.map((_, i) => ({ colour: i === 1 ? "blue" : "red", dash: [] }));
const ink = { grid: "grid", axis: "axis", text: "text", paper: "paper", font: "11px sans" };

class WipedPen extends SvgPen {
  wiped: number[][] = [];
  override clearRect(...place: number[]): void {
    this.wiped.push(place);
  }
}

function painted(cursor: number | null, before: { from: number; to: number } | null = null) {
  const pen = new WipedPen();
  const stretch = paintCursor(pen, layout, lines, looks, ink, cursor, before);
  return { stretch, wiped: pen.wiped, svg: pen.take(400, 200, "paper") };
}

/** The positions of the dots of a colour. */
function dotsOf(svg: string, colour: string): string[] {
  const path =
    [...svg.matchAll(/<path[^>]*>/g)]
      .map(([element]) => element)
      .find((element) => element.includes(`fill="${colour}"`)) ?? "";
  return [...path.matchAll(/M(\S+ \S+?)a/g)].map(([, at]) => at!);
}

describe("cursor", () => {
  it("has a dot on every curve at its nearest number, smoothed where that is drawn", () => {
    const { svg } = painted(1);
    expect([...svg.matchAll(/fill="red"/g)]).toHaveLength(1); // Both dots are in one path.
    expect(svg).toContain(`M${layout.x(0) - 3} ${Number(layout.y(1).toFixed(2))}a`);
    expect(svg).toContain(`M${Number((layout.x(4) - 3).toFixed(2))} ${Number(layout.y(5).toFixed(2))}a`);
    expect(svg).toContain('fill="blue"');
  });
  it("has none where the nearest value is no number", () => {
    expect(painted(10).svg).not.toContain('fill="blue"');
  });
  it("has one dot where a thousand lines have theirs in the same pixel, the first line's", () => {
    const many: Line[] = Array.from({ length: 1000 }, (_, i) => ({
      name: `${i}`,
      xs: [0, 10, 20],
      ys: [1, i < 999 ? 2 : 4, 3],
      smooth: null,
    }));
    const pen = new SvgPen();
    paintCursor(
      pen,
      layout,
      many,
      many.map((_, i) => ({ colour: i === 0 ? "red" : "blue", dash: [] })),
      ink,
      10,
      null,
    );
    const svg = pen.take(400, 200, "paper");
    expect(dotsOf(svg, "red")).toEqual([`${layout.x(10) - 3} ${Number(layout.y(2).toFixed(2))}`]);
    expect(dotsOf(svg, "blue")).toEqual([`${layout.x(10) - 3} ${Number(layout.y(4).toFixed(2))}`]);
  });
  it("reaches over all of its dots, and wipes no more than that when it moves on", () => {
    const { stretch } = painted(14);
    expect(stretch!.from).toBeLessThan(layout.x(6) - 3);
    expect(stretch!.to).toBeGreaterThan(layout.x(14));
    const next = painted(16, stretch);
    expect(next.wiped).toHaveLength(1);
    expect(next.wiped[0]!.slice(0, 3)).toEqual([stretch!.from, expect.any(Number), stretch!.to - stretch!.from]);
  });
  it("is gone when the pointer is elsewhere", () => {
    for (const cursor of [null, -1, 21, NaN]) {
      const { stretch, svg, wiped } = painted(cursor, { from: 5, to: 9 });
      expect(stretch).toBeNull();
      expect(svg).not.toContain("<path");
      expect(wiped).toHaveLength(1);
    }
  });
});
