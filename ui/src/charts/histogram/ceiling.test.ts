import { describe, expect, it } from "vitest";
import { ceilingOf, spikesOf } from "./ceiling";

const cutBars = (bars: readonly number[], ceiling: number): number[] =>
  spikesOf([bars], ceiling, bars.map((_, i) => i).concat(bars.length), (value) => value, 0).map(({ x }) =>
    Math.floor(x),
  );

describe("the ceiling of bars", () => {
  it("is the highest bar where none is a spike", () => {
    expect(ceilingOf([[1, 2, 3, 2, 1]])).toBe(3);
    expect(
      ceilingOf([
        [1, 4, 8, 4, 1],
        [2, 3, 3, 3, 2],
      ]),
    ).toBe(8);
    expect(ceilingOf([[0.1, 30, 70, 30, 0.1, 0, 0, 0.1]])).toBe(70); // A narrow bell curve, and a few outliers.
  });
  it("lets zeros of a ReLU not hide the rest", () => {
    const relu = [5000, 400, 350, 300, 100];
    expect(ceilingOf([relu])).toBe(500);
    expect(cutBars(relu, 500)).toEqual([0]);
  });
  it("cuts a spike at either end, as of values that were clamped", () => {
    const clamped = [5000, 400, 350, 300, 4000];
    expect(cutBars(clamped, ceilingOf([clamped]))).toEqual([0, 4]);
  });
  it("shows values that are all equal whole", () => {
    expect(ceilingOf([[0, 0, 7, 0]])).toBe(7);
    expect(
      ceilingOf([
        [0, 0, 7, 0],
        [0, 0, 9, 0],
      ]),
    ).toBe(9);
    expect(ceilingOf([[0, 0]])).toBe(0);
    expect(ceilingOf([])).toBe(0);
  });
  it("does not let a step of equal values hide the steps after it", () => {
    expect(
      ceilingOf([
        [0, 0, 100, 0],
        [1, 4, 8, 4],
      ]),
    ).toBe(10);
  });
  it("shows an outlier beside values that are all in one bar", () => {
    const outlier = [20000, 0, 0, 0, 0.5, 0.5];
    expect(ceilingOf([outlier])).toBe(0.625);
    expect(cutBars(outlier, 0.625)).toEqual([0]);
    expect(ceilingOf([[99, 0, 0, 1]])).toBe(1.25);
    expect(ceilingOf([[70, 0, 0, 30]])).toBe(70); // Two values, none of them a spike.
  });
  it("takes many high bars for a shape", () => {
    expect(ceilingOf([[90, 1, 90, 1, 90, 1, 90, 1]])).toBe(90);
  });
});

describe("a spike", () => {
  it("over several bars has the share of all of them", () => {
    const texts = spikesOf(
      [
        [30, 22, 3, 3],
        [52, 3, 3, 3],
      ],
      4,
      [0, 1, 2, 3, 4],
      (value) => 10 * value,
      20,
    ).map(({ x, text }) => [x, text]);
    expect(texts).toEqual([[10, "52.0 %"]]);
  });
  it("says its share, and of several rows from which to which", () => {
    const texts = spikesOf(
      [
        [50, 5, 5],
        [48.26, 6, 4],
        [5, 5, 5],
      ],
      8,
      [0, 1, 2, 3],
      (value) => 10 * value,
      20,
    ).map(({ x, text }) => [x, text]);
    expect(texts).toEqual([[5, "48.3 to 50.0 %"]]);
  });
});
