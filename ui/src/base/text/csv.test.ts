import { describe, expect, it } from "vitest";
import { csvOf } from "./csv";

describe("CSV", () => {
  it("quotes what would break a row, and disarms formulas", () => {
    expect(
      csvOf(
        ["a", "b"],
        [
          ['x,"y"', 1.5],
          ["=1+1", null],
        ],
      ),
    ).toBe('a,b\r\n"x,""y""",1.5\r\n\'=1+1,\r\n');
  });
});
