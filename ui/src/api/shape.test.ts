import { describe, expect, it } from "vitest";
import {
  boolean,
  either,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  read,
  readOrNull,
  record,
  string,
  toNumber,
  wireNumber,
  wireNumbers,
} from "./shape";

const status = object({
  runs: number,
  names: list(string),
  progress: object({ complete: boolean }),
  newest: nullable(number),
  note: optional(string),
});
const good = { runs: 1, names: ["a"], progress: { complete: true }, newest: null };

describe("a shape", () => {
  it("returns the same object, with keys that it does not know", () => {
    const value = { ...good, added_later: 1 };
    expect(read(status, value, "status")).toBe(value);
  });

  it.each([
    [{ ...good, runs: "1" }, "runs is a string, expected a number"],
    [{ ...good, names: ["a", null] }, "names[1] is null, expected a string"],
    [{ ...good, names: {} }, "names is an object, expected a list"],
    [{ ...good, progress: {} }, "progress.complete is missing, expected a boolean"],
    [{ ...good, progress: [] }, "progress is a list, expected an object"],
    [{ ...good, note: 3 }, "note is a number, expected a string"],
    ["ok", "the response is a string, expected an object"],
  ])("names the first difference of %j", (value, message) => {
    expect(() => read(status, value, "status")).toThrow(`cannot read the response to 'status': ${message}`);
    expect(readOrNull(status, value)).toBeNull();
  });

  it("accepts numbers that JSON cannot spell", () => {
    expect(read(wireNumbers, [1, "NaN", "Infinity", "-Infinity", null], "x").map(toNumber)).toEqual([
      1,
      NaN,
      Infinity,
      -Infinity,
      NaN,
    ]);
    expect(readOrNull(wireNumber, "one")).toBeNull();
    expect(readOrNull(wireNumber, undefined)).toBeNull();
  });

  it("accepts one of several words and one of two shapes", () => {
    expect(readOrNull(oneOf("f32", "f64"), "f64")).toBe("f64");
    expect(readOrNull(oneOf("f32", "f64"), "f16")).toBeNull();
    expect(readOrNull(either(string, number), 1)).toBe(1);
    expect(readOrNull(either(string, number), true)).toBeNull();
    expect(() => read(record(number), { a: 1, b: "x" }, "x")).toThrow(".b is a string, expected a number");
  });
});
