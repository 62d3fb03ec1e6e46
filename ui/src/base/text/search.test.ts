import { describe, expect, it } from "vitest";
import { bestMatches, matchCost } from "./search";

describe("search", () => {
  it("takes letters in order and refuses others", () => {
    expect(matchCost("rn18", "resnet18")).not.toBeNull();
    expect(matchCost("81", "resnet18")).toBeNull();
  });
  it("puts beginnings first, then whole words inside, then letters apart", () => {
    const names = ["a_net", "network", "n.e.t", "resnet18"];
    expect(bestMatches("net", names, (n) => n, 9)).toEqual(["network", "a_net", "resnet18", "n.e.t"]);
  });
  it("shows something before anything is typed", () => {
    expect(bestMatches("", ["b", "a"], (n) => n, 1)).toEqual(["b"]);
  });
});
