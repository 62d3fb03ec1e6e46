import { describe, expect, it } from "vitest";
import { sourceProblems } from "./source_problems";

describe("buckets", () => {
  it("are named with what failed and how old the copy is", () => {
    const now = {
      addresses: ["s3://a", "s3://b", "gs://c"],
      errors: ["", "access is denied", "no answer"],
      last_reads: [100, 88, null],
    };
    expect(sourceProblems(now, 100)).toEqual([
      "s3://b, last read 12 s ago: access is denied",
      "gs://c, never read: no answer",
    ]);
    expect(sourceProblems(null, 100)).toEqual([]);
  });
});
