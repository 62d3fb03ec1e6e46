import { describe, expect, it } from "vitest";
import { layoutLines, type Line } from "./layout";
import { paintLines } from "./paint";
import { SvgPen } from "../drawing/pen";

const ink = { grid: "#eee", axis: "#ccc", text: "#555", paper: "#fff", font: "11px sans-serif" };

describe("a chart as a file", () => {
  const lines: Line[] = [
    { name: "a", xs: [0, 1, 2], ys: [1, 2, NaN], smooth: null },
    { name: "seeds", xs: [0, 1, 2], ys: [1, 1.5, 2], smooth: null, band: { low: [0.5, 1, 1.5], high: [1.5, 2, 2.5] } },
  ];
  const layout = layoutLines(lines, {
    width: 400,
    height: 200,
    logX: false,
    logY: false,
    clipOutliers: false,
    xRange: null,
    yRange: null,
    xText: String,
  })!;
  const pen = new SvgPen();
  paintLines(
    pen,
    layout,
    lines,
    [
      { colour: "red", dash: [] },
      { colour: "blue", dash: [6, 3] },
    ],
    ink,
  );
  const svg = pen.take(400, 200, "#fff");

  it("has what the canvas has: lines, dashes, bands, ticks and the mark of a hole", () => {
    expect(svg.match(/stroke="red"/g)).toHaveLength(1);
    expect(svg).toContain('stroke-dasharray="6 3"');
    expect(svg).toMatch(/<path d="M[^"]+Z" fill="blue" opacity="0\.\d+"/);
    expect(svg).toMatch(/<path d="[^"]+" fill="red"/);
    for (const tick of layout.yTicks) expect(svg).toContain(`>${tick.text}<`);
  });
  it("closes everything it opens", () => {
    expect(svg.match(/<g /g)?.length ?? 0).toBe(svg.match(/<\/g>/g)?.length ?? 0);
    expect(svg.endsWith("</svg>")).toBe(true);
  });
  it("draws points at one step as dots, each value once", () => {
    const dots = new SvgPen();
    const same: Line[] = [{ name: "a", xs: [0, 0, 0], ys: [-1, -1, 2], smooth: null }];
    const options = { width: 400, height: 200, logX: false, logY: false, clipOutliers: false, xText: String };
    const placed = layoutLines(same, { ...options, xRange: null, yRange: null })!;
    paintLines(dots, placed, same, [{ colour: "red", dash: [] }], ink);
    expect(dots.take(400, 200, "#fff").match(/fill="red"/g)).toHaveLength(2);
  });
  it("takes names as text", () => {
    const hostile = new SvgPen();
    hostile.fillText('<script>"&', 1, 2);
    expect(hostile.take(10, 10, "#fff")).toContain("&lt;script>&quot;&amp;");
  });
});
