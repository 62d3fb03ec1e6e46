// Decodes curves that the server sends as binary columns (docs/formats/series.md).

import { list, number, object, optional, read, string } from "./shape";

export interface Curve {
  readonly run: string;
  readonly tag: string;
  /** The number of points in the log; `steps`, `values` and `wallTimes` may be a sample of them. */
  readonly total: number;
  readonly steps: ArrayLike<number>;
  /** Seconds since 1970, if requested. Decoded at the first call. */
  readonly wallTimes: () => ArrayLike<number>;
  readonly values: ArrayLike<number>;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface CurvesResponse {
  readonly snapshot: number;
  readonly series: readonly Curve[];
}

const columnShape = object({ kind: string, first: optional(number), stride: optional(number), ulp: optional(number) });

const headerShape = object({
  snapshot: number,
  series: list(
    object({
      run: string,
      tag: string,
      total: optional(number),
      points: optional(number),
      steps: optional(columnShape),
      wall_times: optional(columnShape),
      values: optional(columnShape),
      error: optional(object({ code: string, message: string })),
    }),
  ),
});

const MAGIC = 0x52534243; // The text "CBSR", read as a little-endian number.
const PREAMBLE = 12;

/**
 * Decodes the binary columns. The curves are views into `bytes`, so `bytes` stays in memory as long as one of the
 * curves.
 */
export function readCurves(bytes: ArrayBuffer): CurvesResponse {
  const [magic, version, length = 0] = new Uint32Array(bytes, 0, 3);
  if (magic !== MAGIC || version !== 1)
    throw new Error("the server sent curves in a form this page does not know; reload it");
  const header = read(
    headerShape,
    JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, PREAMBLE, length))),
    "scalars",
  );
  let at = PREAMBLE + length;
  // Returns the offset of the next column. Every column is padded to 8 bytes.
  const take = (count: number, width: number): number => {
    const begin = at;
    at += Math.ceil((count * width) / 8) * 8;
    return begin;
  };
  // Most runs of a tag were logged at the same steps. The curves of these runs share one array of steps.
  const shared = new Map<string, Float64Array>();
  const series = header.series.map((one): Curve => {
    const { run, tag, steps, wall_times: walls, values, points = 0, total = 0 } = one;
    if (one.error || !steps || !values) {
      return {
        run,
        tag,
        total,
        steps: [],
        wallTimes: () => [],
        values: [],
        ...(one.error ? { error: one.error } : {}),
      };
    }
    return {
      run,
      tag,
      total,
      steps:
        steps.kind === "stride"
          ? evenSteps(points, steps.first ?? 0, steps.stride ?? 1, shared)
          : wholeNumbers(bytes, take(points, 8), points),
      wallTimes: !walls
        ? () => []
        : walls.kind === "f64"
          ? viewed(new Float64Array(bytes, take(points, 8), points))
          : walls.kind === "gap32"
            ? gapTimes(new Int32Array(bytes, take(points, 4), points), walls.first ?? 0, walls.ulp ?? 1)
            : ulpTimes(new Uint32Array(bytes, take(points, 4), points), walls.first ?? 0, walls.ulp ?? 1),
      values:
        values.kind === "f32"
          ? new Float32Array(bytes, take(points, 4), points)
          : new Float64Array(bytes, take(points, 8), points),
    };
  });
  return { snapshot: header.snapshot, series };
}

function evenSteps(count: number, first: number, stride: number, shared: Map<string, Float64Array>): Float64Array {
  const key = `${count} ${first} ${stride}`;
  let steps = shared.get(key);
  if (!steps) {
    steps = new Float64Array(count);
    for (let i = 0; i < count; i += 1) steps[i] = first + i * stride;
    shared.set(key, steps);
  }
  return steps;
}

// Joins 64-bit integers from their 32-bit halves, because a BigInt for each is slow. Integers beyond 2^53 are rounded.
function wholeNumbers(bytes: ArrayBuffer, begin: number, count: number): Float64Array {
  const [low, high] = [new Uint32Array(bytes, begin, 2 * count), new Int32Array(bytes, begin, 2 * count)];
  const numbers = new Float64Array(count);
  for (let i = 0; i < count; i += 1) numbers[i] = (high[2 * i + 1] ?? 0) * 2 ** 32 + (low[2 * i] ?? 0);
  return numbers;
}

const viewed = (times: Float64Array) => () => times;

function ulpTimes(distances: Uint32Array, first: number, ulp: number): () => Float64Array {
  return () => Float64Array.from(distances, (distance) => first + distance * ulp);
}

// Sums the gaps as integers, which is exact.
function gapTimes(gaps: Int32Array, first: number, ulp: number): () => Float64Array {
  return () => {
    let distance = 0;
    return Float64Array.from(gaps, (gap) => first + (distance += gap) * ulp);
  };
}
