import { expect, it } from "vitest";
import { withoutTail } from "./latency";

const edges = Array.from({ length: 4097 }, (_, i) => i / 100);
const counts = (at: Record<number, number>): number[] => Array.from({ length: 4096 }, (_, i) => at[i] ?? 0);

it("leaves out the few slowest, and says how many and how slow", () => {
  const fast = counts({ 10: 500, 11: 499, 4000: 1 });
  const { shown, beyond, edges: all } = withoutTail({ edges, a: fast, b: counts({ 10: 1000 }) });
  expect(shown.edges[0]).toBeCloseTo(0.1);
  expect(shown.edges.at(-1)).toBeCloseTo(0.12);
  expect(shown.a).toEqual([500, 499]);
  expect(beyond).toBeCloseTo(0.001);
  expect(all.at(-1)).toBeCloseTo(40.96);
});

it("does not let one side's long tail press the rest together", () => {
  const { shown, beyond } = withoutTail({ edges, a: counts({ 10: 97, 3000: 3 }), b: counts({ 8: 100 }) });
  expect(shown.edges.at(-1)).toBeLessThan(0.6);
  expect(beyond).toBeCloseTo(0.03);
});

it("joins bins, and loses nothing, where values are spread", () => {
  const even = counts(Object.fromEntries(edges.map((_, i) => [i, 1])));
  const { shown } = withoutTail({ edges, a: even, b: null });
  expect(shown.edges.length).toBeLessThanOrEqual(122);
  expect(shown.b).toBeNull();
  expect(shown.a?.reduce((sum, c) => sum + c, 0)).toBeGreaterThanOrEqual(0.99 * 4096);
  expect(shown.a?.length).toBe(shown.edges.length - 1);
});
