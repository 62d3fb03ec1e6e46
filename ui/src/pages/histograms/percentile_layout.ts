// The layout of percentiles over steps: bands around the median. Pure: converts values to pixels.
import { leftOfTicks, yTicksOf } from "./layout";
import { extent, linearScale, padded, type Scale } from "../../base/math/scale";
import type { Percentiles } from "./data";

export interface PercentileLayout {
  readonly box: { l: number; r: number; t: number; b: number };
  readonly x: Scale;
  readonly y: Scale;
  readonly yTicks: readonly { readonly at: number; readonly text: string }[];
  readonly bands: readonly string[];
  readonly median: string;
}

const ALONE = 0.3; // The width of the band of a single step, to either side, in steps.

export function layoutPercentiles(
  data: Pick<Percentiles, "steps" | "rows">,
  width: number,
  height: number,
): PercentileLayout | null {
  const [range, steps] = [extent(data.rows.flat()), extent(data.steps)];
  if (!range || !steps || width < 80) return null;
  const [min, max] = padded(range);
  const box = { l: leftOfTicks(min, max), r: width - 10, t: 8, b: height - 22 };
  const isAlone = steps[0] === steps[1];
  const x = linearScale(...(isAlone ? ([steps[0] - 0.5, steps[0] + 0.5] as const) : steps), box.l, box.r);
  const y = linearScale(min, max, box.b, box.t);
  // An area needs two ends, also if there is only one step.
  const places = isAlone
    ? [
        { at: steps[0] - ALONE, row: 0 },
        { at: steps[0] + ALONE, row: 0 },
      ]
    : data.steps.map((at, row) => ({ at, row }));
  const edge = (column: number): string[] =>
    places.map(({ at, row }) => `${x(at).toFixed(1)} ${y(data.rows[row]?.[column] ?? 0).toFixed(1)}`);
  const band = (lo: number, hi: number): string => `M${[...edge(hi), ...edge(lo).reverse()].join("L")}Z`;
  const bands = [band(0, 8), band(1, 7), band(2, 6), band(3, 5)];
  return { box, x, y, yTicks: yTicksOf(y), bands, median: `M${edge(4).join("L")}` };
}
