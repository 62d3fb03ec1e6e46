import { describe, expect, it } from "vitest";
import { readCurves } from "./series";

/** A response with this header and these columns, in the format of docs/formats/series.md. */
function answerOf(header: unknown, ...columns: ArrayBufferView[]): ArrayBuffer {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const length = Math.ceil((12 + text.length) / 8) * 8 - 12;
  const padded = columns.map((column) => Math.ceil(column.byteLength / 8) * 8);
  const bytes = new Uint8Array(12 + length + padded.reduce((sum, size) => sum + size, 0)).fill(0x20, 12, 12 + length);
  bytes.set([..."CBSR"].map((letter) => letter.charCodeAt(0)));
  new DataView(bytes.buffer).setUint32(4, 1, true);
  new DataView(bytes.buffer).setUint32(8, length, true);
  bytes.set(text, 12);
  let at = 12 + length;
  columns.forEach((column, i) => {
    bytes.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), at);
    at += padded[i] ?? 0;
  });
  return bytes.buffer;
}

const entry = { run: "train", tag: "loss", total: 900 };

describe("curves as bytes", () => {
  it("are read from narrow columns", () => {
    const bytes = answerOf(
      {
        snapshot: 7,
        series: [
          {
            ...entry,
            points: 3,
            steps: { kind: "stride", first: 10, stride: -5 },
            wall_times: { kind: "ulp32", first: 100, ulp: 0.25 },
            values: { kind: "f32" },
          },
        ],
      },
      Uint32Array.of(0, 1, 8),
      Float32Array.of(0.5, NaN, -Infinity),
    );
    const {
      snapshot,
      series: [curve],
    } = readCurves(bytes);
    expect(snapshot).toBe(7);
    expect(curve).toMatchObject(entry);
    expect([...Array.from(curve!.steps)]).toEqual([10, 5, 0]);
    expect([...Array.from(curve!.wallTimes())]).toEqual([100, 100.25, 102]);
    expect([...Array.from(curve!.values)]).toEqual([0.5, NaN, -Infinity]);
  });

  it("may have no wall times", () => {
    const bytes = answerOf(
      {
        snapshot: 7,
        series: [1, 2].map(() => ({
          ...entry,
          points: 2,
          steps: { kind: "stride", first: 0, stride: 1 },
          values: { kind: "f32" },
        })),
      },
      Float32Array.of(1, 2),
      Float32Array.of(3, 4),
    );
    const { series } = readCurves(bytes);
    expect(series.map((curve) => Array.from(curve.values))).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(Array.from(series[1]!.wallTimes())).toEqual([]);
  });

  it("have wall times by their distance from the one before", () => {
    const bytes = answerOf(
      {
        snapshot: 7,
        series: [
          {
            ...entry,
            points: 4,
            steps: { kind: "stride", first: 0, stride: 1 },
            wall_times: { kind: "gap32", first: 100, ulp: 0.25 },
            values: { kind: "f32" },
          },
        ],
      },
      Int32Array.of(0, 2_000_000_000, 2_000_000_000, -4),
      Float32Array.of(1, 2, 3, 4),
    );
    const [curve] = readCurves(bytes).series;
    expect(Array.from(curve!.wallTimes())).toEqual([100, 500_000_100, 1_000_000_100, 1_000_000_099]);
    expect(Array.from(curve!.values)).toEqual([1, 2, 3, 4]);
  });

  it("are read from wide columns, steps by the largest halves", () => {
    const steps = [-1n, 5n, 2n ** 32n + 3n, -(2n ** 40n)];
    const bytes = answerOf(
      {
        snapshot: 1,
        series: [{ ...entry, points: 4, steps: { kind: "i64" }, wall_times: { kind: "f64" }, values: { kind: "f64" } }],
      },
      BigInt64Array.from(steps),
      Float64Array.of(1, 2, 3, 4),
      Float64Array.of(0.1, 0.2, 0.3, 1e300),
    );
    const [curve] = readCurves(bytes).series;
    expect(Array.from(curve!.steps)).toEqual(steps.map(Number));
    expect(Array.from(curve!.wallTimes())).toEqual([1, 2, 3, 4]);
    expect(Array.from(curve!.values)).toEqual([0.1, 0.2, 0.3, 1e300]);
  });

  it("that are missing have a reason and no columns, and those after them are found", () => {
    const narrow = {
      points: 1,
      steps: { kind: "stride", first: 0, stride: 1 },
      wall_times: { kind: "ulp32", first: 0, ulp: 1 },
      values: { kind: "f32" },
    };
    const bytes = answerOf(
      {
        snapshot: 1,
        series: [
          { ...entry, ...narrow },
          { run: "gone", tag: "loss", error: { code: "not_found", message: "no run 'gone'" } },
          { ...entry, ...narrow },
        ],
      },
      Uint32Array.of(1),
      Float32Array.of(2),
      Uint32Array.of(3),
      Float32Array.of(4),
    );
    const { series } = readCurves(bytes);
    expect(series.map((curve) => Array.from(curve.values))).toEqual([[2], [], [4]]);
    expect(Array.from(series[2]!.wallTimes())).toEqual([3]);
    expect(series[1]!.error?.message).toBe("no run 'gone'");
  });

  it("of another version are refused", () => {
    const bytes = answerOf({ snapshot: 1, series: [] });
    new DataView(bytes).setUint32(4, 2, true);
    expect(() => readCurves(bytes)).toThrow("reload");
  });
});
