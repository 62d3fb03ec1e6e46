import { describe, expect, it } from "vitest";
import { paretoFront, type Candidate } from "./pareto";

const slowFront = (all: readonly Candidate[], sx: number, sy: number): number[] =>
  all.flatMap((c, i) => {
    const beaten = all.some(
      (o) => sx * o.x >= sx * c.x && sy * o.y >= sy * c.y && (sx * o.x > sx * c.x || sy * o.y > sy * c.y),
    );
    return beaten ? [] : [i];
  });

describe("Pareto front", () => {
  it("keeps what nothing beats, best x first", () => {
    const models = [
      { x: 10, y: 0.7 },
      { x: 5, y: 0.6 },
      { x: 7, y: 0.55 },
      { x: 2, y: 0.5 },
    ];
    expect(paretoFront(models, false, true)).toEqual([3, 1, 0]);
  });
  it("keeps equals and leaves out what has no number", () => {
    expect(
      paretoFront(
        [
          { x: 1, y: 1 },
          { x: 1, y: 1 },
          { x: NaN, y: 9 },
        ],
        false,
        true,
      ),
    ).toEqual([0, 1]);
  });
  it("agrees with the definition on random candidates, in all directions", () => {
    let seed = 1;
    const random = (): number => (seed = (seed * 48271) % 2147483647) % 20;
    for (let round = 0; round < 200; round += 1) {
      const all = Array.from({ length: 30 }, () => ({ x: random(), y: random() }));
      for (const [hx, hy] of [
        [true, true],
        [true, false],
        [false, true],
        [false, false],
      ] as const) {
        const expected = slowFront(all, hx ? 1 : -1, hy ? 1 : -1);
        expect([...paretoFront(all, hx, hy)].sort((a, b) => a - b)).toEqual(expected);
      }
    }
  });
});
