import { describe, expect, it } from "vitest";
import { LabelPlacer, spotsAround, touches, type Box } from "./labels";

describe("labels", () => {
  it("never touch each other or leave the frame", () => {
    const frame = { x: 0, y: 0, w: 400, h: 200 };
    const placer = new LabelPlacer(frame);
    const placed: Box[] = [];
    for (let i = 0; i < 200; i += 1) {
      const spot = placer.place(spotsAround("resnet18", (i * 37) % 400, (i * 53) % 200, i % 2 === 0));
      if (spot) placed.push(spot.box);
    }
    expect(placed.length).toBeGreaterThan(10);
    placed.forEach((a, i) => {
      expect(a.x >= 0 && a.x + a.w <= 400 && a.y >= 0 && a.y + a.h <= 200).toBe(true);
      placed.slice(i + 1).forEach((b) => expect(touches(a, b)).toBe(false));
    });
  });
  it("prefer the side they are asked to, and take the one across from it last", () => {
    const placer = new LabelPlacer({ x: 0, y: 0, w: 400, h: 200 });
    expect(placer.place(spotsAround("a", 200, 100, true))?.anchor).toBe("end");
    expect(placer.place(spotsAround("a", 200, 100, true))?.anchor).toBe("middle");
    expect(placer.place(spotsAround("a", 200, 100, true))?.anchor).toBe("middle");
    expect(placer.place(spotsAround("a", 200, 100, true))?.anchor).toBe("start");
  });
});
