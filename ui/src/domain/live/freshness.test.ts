import { describe, expect, it } from "vitest";
import { Freshness } from "./freshness";

function watched(): { freshness: Freshness; refreshed: number[] } {
  const refreshed: number[] = [];
  const freshness = new Freshness((snapshot) => {
    refreshed.push(snapshot);
    freshness.refreshed(snapshot);
  });
  return { freshness, refreshed };
}

describe("a page is refreshed", () => {
  it("never, when its responses are as new as what is announced", () => {
    const { freshness, refreshed } = watched();
    const [first, second] = [freshness.ask(), freshness.ask()];
    first(5);
    freshness.announce(5);
    second(6);
    freshness.ask()(undefined);
    expect(refreshed).toEqual([]);
  });

  it("when an response came from before", () => {
    const { freshness, refreshed } = watched();
    freshness.ask()(4);
    freshness.announce(5);
    expect(refreshed).toEqual([5]);
  });

  it("when an response from before comes late", () => {
    const { freshness, refreshed } = watched();
    const late = freshness.ask();
    freshness.announce(5);
    late(4);
    expect(refreshed).toEqual([5]);
  });

  it("when an response was fetched ahead and asked for only later", () => {
    const { freshness, refreshed } = watched();
    freshness.announce(5);
    freshness.ask()(4);
    expect(refreshed).toEqual([5]);
  });

  it("when an response does not say how old it is and was asked for before", () => {
    const { freshness, refreshed } = watched();
    const silent = freshness.ask();
    freshness.announce(0);
    silent(undefined);
    expect(refreshed).toEqual([0]);
  });

  it("once: what is asked again is new", () => {
    const { freshness, refreshed } = watched();
    const [first, second] = [freshness.ask(), freshness.ask()];
    freshness.announce(5);
    first(4);
    freshness.ask()(5);
    expect(refreshed).toEqual([5]);
    second(4); // A late response to a request that nobody waits for is harmless.
    expect(refreshed).toEqual([5, 5]);
  });
});
