import { describe, expect, it } from "vitest";
import { fobsText, mixed, mixesText, movedFob, partnersOf, readMixes, viewOf } from "./view";

describe("the view of curves", () => {
  it("is what the address says, and usual where that is no number", () => {
    expect(viewOf(new URLSearchParams("smooth=x&step=40~10&xlim=1~2"))).toMatchObject({
      smoothing: 0.6,
      fobs: [40, 10],
      zoom: [1, 2],
      axis: "step",
      table: false,
    });
    expect(fobsText([40, 10])).toBe("10~40");
    expect(fobsText([])).toBeNull();
  });
  it("draws tags together: in a new chart, or in one more of a chart that is there", () => {
    const first = mixed([], "eval/loss", ["train/loss"]);
    expect(first).toEqual([["train/loss", "eval/loss"]]);
    expect(mixed(first, "lr", first[0]!)).toEqual([["train/loss", "eval/loss", "lr"]]);
    // A tag added to its own chart does not make a chart of several tags.
    expect(mixed(first, "train/loss", ["train/loss"])).toEqual(first);
    expect(
      readMixes(
        mixesText([
          ["a,b", "c%"],
          ["d", "e"],
        ]),
      ),
    ).toEqual([
      ["a,b", "c%"],
      ["d", "e"],
    ]);
  });
  it("offers the same quantity of other groups first", () => {
    expect(partnersOf("train/loss", ["lr", "train/acc", "eval/loss", "train/loss"])).toEqual([
      "eval/loss",
      "train/acc",
      "lr",
    ]);
  });
  it("moves a mark from point to point and stops at the ends", () => {
    const steps = [0, 10, 20, 30];
    expect(movedFob(steps, null, 1)).toBe(0);
    expect(movedFob(steps, null, -1)).toBe(30);
    expect(movedFob(steps, 10, 1)).toBe(20);
    expect(movedFob(steps, 12, 1)).toBe(20);
    expect(movedFob(steps, 12, -1)).toBe(10);
    expect(movedFob(steps, 20, 10)).toBe(30);
    expect(movedFob([], 20, 1)).toBeNull();
  });
});
