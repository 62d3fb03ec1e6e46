import { describe, expect, it } from "vitest";
import {
  ageText,
  alignedColumn,
  bytes,
  bytesColumn,
  count,
  decimalsOfColumn,
  decimalsOfStep,
  duration,
  exact,
  fixed,
  fixedInGroups,
  percent,
  plural,
  points,
  ratio,
  significant,
  steady,
  steadyColumn,
  tickTexts,
  withComma,
} from "./format";

describe("numbers", () => {
  it("keep four significant digits and a true minus", () => {
    expect(significant(5.5454)).toBe("5.545");
    expect(significant(-0.012345)).toBe("−0.01235");
    expect(significant(0)).toBe("0");
    expect(significant(123456)).toBe("123,456");
    expect(significant(-1067.4)).toBe("−1,067");
    expect(significant(1234.567, 6)).toBe("1,234.57");
    expect(significant(0.123456, 6)).toBe("0.123456");
  });
  it("keep their last zeros beside each other", () => {
    expect([0.903, 0.8865, -0.5, 12.3].map((value) => steady(value))).toEqual(["0.9030", "0.8865", "−0.5000", "12.30"]);
    expect([63, 0, 123_456.7, NaN, 2e-9].map((value) => steady(value))).toEqual([
      "63",
      "0",
      "123,457",
      "NaN",
      "2.000e−9",
    ]);
  });
  it("turn scientific only when they are very large or very small", () => {
    expect(significant(999_999)).toBe("999,999");
    expect(significant(1_234_567)).toBe("1.235e6");
    expect(significant(0.0001)).toBe("0.0001");
    expect(significant(0.00001234)).toBe("1.234e−5");
  });
  it("have no sign where they round to zero", () => {
    expect([-0.04, -0.06, -0, 0.04].map((value) => fixed(value, 1))).toEqual(["0.0", "−0.1", "0.0", "0.0"]);
    expect([-0.4, -0.6, -1234.4].map((value) => fixedInGroups(value, 0))).toEqual(["0", "−1", "−1,234"]);
  });
  it("spell out what is no number", () => {
    expect(fixed(NaN, 2)).toBe("NaN");
    expect(significant(-Infinity)).toBe("−∞");
    expect(ratio(Infinity)).toBe("∞");
    expect(exact(0.1 + 0.2)).toBe("0.30000000000000004");
  });
  it("count in full", () => {
    expect(count(1_001_001)).toBe("1,001,001");
    expect([0, 999, 1000, -1234.5, 2 ** 53, NaN].map(count)).toEqual([
      "0",
      "999",
      "1,000",
      "−1,234",
      "9,007,199,254,740,992",
      "NaN",
    ]);
    expect(plural(1, "run")).toBe("1 run");
    expect(plural(2, "run")).toBe("2 runs");
  });
});

describe("units", () => {
  it("never round a ratio to a break-even it is not", () => {
    expect(ratio(23.13)).toBe("23.1×");
    expect(ratio(1)).toBe("1.00×");
    expect(ratio(1.002)).toBe("1.002×");
    expect(ratio(0.98)).toBe("0.98×");
    expect(ratio(-0.5)).toBe("−0.50×");
  });
  it("say per cent and percentage points", () => {
    expect(percent(0.9945)).toBe("99.45");
    expect(points(-0.0042)).toBe("−0.42 pp");
    expect(points(0.01)).toBe("+1.00 pp");
  });
  it("count bytes in thousands and time in words", () => {
    expect(bytes(999)).toBe("999 B");
    expect(bytes(1500)).toBe("1.50 kB");
    expect([1000, 64_000, 590_000, 999_600, -1500].map(bytes)).toEqual([
      "1.00 kB",
      "64.0 kB",
      "590 kB",
      "1.00 MB",
      "−1.50 kB",
    ]);
    expect(bytes(2_340_000_000)).toBe("2.34 GB");
    expect(duration(0.25)).toBe("250 ms");
    expect([0.0676, 0.00123].map(duration)).toEqual(["68 ms", "1.23 ms"]);
    expect(duration(7500)).toBe("2 h 5 min");
    expect(duration(100)).toBe("1 min 40 s");
    expect(duration(120)).toBe("2 min");
    expect(duration(93_600)).toBe("1 d 2 h");
    expect([ageText(31_842_000), ageText(100), ageText(25), ageText(-3)]).toEqual(["368 d", "1 min", "25 s", "1 s"]);
  });
  it("stand in a column with the same decimals", () => {
    expect(decimalsOfColumn([-0.8202, 12.1])).toBe(2);
    expect(decimalsOfColumn([0.01234, 0.001, NaN])).toBe(5);
    expect(decimalsOfColumn([123_456])).toBe(0);
    expect(decimalsOfColumn([-6, 6, 2.5])).toBe(1);
    expect(decimalsOfColumn([-6, 6])).toBe(0);
    expect(decimalsOfColumn([])).toBe(0);
  });
  it("say the bytes of a column in one unit", () => {
    const { unit, text } = bytesColumn([9_437_184, 589_824, 320]);
    expect(unit).toBe("MB");
    expect([9_437_184, 589_824, 320, 0].map(text)).toEqual(["9.44", "0.59", "< 0.01", "0.00"]);
    expect(bytesColumn([136, 400]).text(136)).toBe("136");
    expect(bytesColumn([]).unit).toBe("B");
  });
  it("put the points of a column in one line, however different the numbers are", () => {
    const values = [247.9, 51.95, 5.282, 0.01211, 1206];
    expect(values.map(alignedColumn(values))).toEqual([
      { text: "247.9", room: 1 },
      { text: "52.0", room: 1 },
      { text: "5.28", room: 0 },
      { text: "0.0121", room: 0 },
      { text: "1,206.0", room: 1 },
    ]);
    expect([8, 16].map(alignedColumn([8, 16]))).toEqual([
      { text: "8", room: 0 },
      { text: "16", room: 0 },
    ]);
    expect(alignedColumn([0.5])(NaN)).toEqual({ text: "NaN", room: 0 });
  });
  it("say a unit after a comma", () => {
    expect(withComma("Model size (MB)")).toBe("Model size, MB");
    expect(withComma("Loss")).toBe("Loss");
  });
  it("mark an axis by its step, and a lone tick in full", () => {
    expect(tickTexts([0, 0.05, 0.1])).toEqual(["0.00", "0.05", "0.10"]);
    expect(tickTexts([0.05])).toEqual(["0.05"]);
    expect(tickTexts([-0.0065, -0.006])).toEqual(["−0.0065", "−0.0060"]);
    expect(tickTexts([1300, 1400])).toEqual(["1,300", "1,400"]);
    expect(tickTexts([])).toEqual([]);
  });
  it("show as many decimals as the tick step needs", () => {
    expect(decimalsOfStep(0.05)).toBe(2);
    expect(decimalsOfStep(20)).toBe(0);
  });
});

it("gives whole numbers the decimals of their column", () => {
  expect([1, 0.9712, 0, NaN].map(steadyColumn([1, 0.9712, 0, NaN]))).toEqual(["1.000", "0.9712", "0.000", "NaN"]);
  expect([1, 24].map(steadyColumn([1, 24, NaN]))).toEqual(["1", "24"]);
});
