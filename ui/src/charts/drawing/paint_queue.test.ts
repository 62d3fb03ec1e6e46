import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { paintInTurn, paintNoMore } from "./paint_queue";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("requestAnimationFrame", (call: () => void) => setTimeout(call, 16));
});
afterEach(() => {
  vi.runAllTimers();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

// Takes 10 ms to paint, which is more than the time that a frame has left.
function slowly(painted: string[], name: string): () => void {
  return () => {
    painted.push(name);
    vi.setSystemTime(Date.now() + 10);
    vi.spyOn(performance, "now").mockReturnValue(performance.now() + 10);
  };
}

it("paints the first at once and the others a frame each, in their order", () => {
  const painted: string[] = [];
  for (const name of ["a", "b", "c"]) paintInTurn({}, slowly(painted, name));
  expect(painted).toEqual(["a"]);
  vi.advanceTimersByTime(17);
  expect(painted).toEqual(["a", "b"]);
  vi.runAllTimers();
  expect(painted).toEqual(["a", "b", "c"]);
});

it("paints only the newest of what waits, and nothing that is gone", () => {
  const painted: string[] = [];
  const [b, c] = [{}, {}];
  paintInTurn({}, slowly(painted, "a"));
  paintInTurn(b, slowly(painted, "old b"));
  paintInTurn(c, slowly(painted, "c"));
  paintInTurn(b, slowly(painted, "new b"));
  paintNoMore(c);
  vi.runAllTimers();
  expect(painted).toEqual(["a", "new b"]);
});

it("is ready again when all have painted", () => {
  const painted: string[] = [];
  paintInTurn({}, slowly(painted, "a"));
  vi.runAllTimers();
  paintInTurn({}, slowly(painted, "b"));
  expect(painted).toEqual(["a", "b"]);
});
