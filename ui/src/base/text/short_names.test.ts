import { describe, expect, it } from "vitest";
import { shortNames } from "./short_names";

describe("shortNames", () => {
  it("are the last parts, where those differ", () => {
    expect(shortNames(["net/accuracy/train", "net/accuracy/val"])).toEqual(["train", "val"]);
    expect(shortNames(["a/int8", "b/int8", "b/fp32"])).toEqual(["a/int8", "b/int8", "fp32"]);
  });
  it("are whole names when there is nothing else to tell them apart", () => {
    expect(shortNames(["int8", "a/int8", "."])).toEqual(["int8", "a/int8", "."]);
    expect(shortNames([])).toEqual([]);
  });
});
