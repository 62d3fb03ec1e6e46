// Saves all points of a chart as a file, not only the points that were drawn.
import { postForCurves } from "../../api/curves";
import { csvOf, fileName, saveAs } from "../../base/text/csv";

const MAX_POINTS = 1_000_000; // The max number of points per series; `compression-board export` has no limit.

interface Columns {
  run: string;
  tag: string;
  steps: number[];
  wall_times: number[];
  values: (number | string)[];
}

async function pointsOf(series: readonly (readonly [string, string])[]): Promise<Columns[]> {
  const response = await postForCurves({ series, points: MAX_POINTS, axis: "step" });
  return response.series
    .filter((curve) => !curve.error)
    .map((curve) => ({
      run: curve.run,
      tag: curve.tag,
      steps: Array.from(curve.steps),
      wall_times: Array.from(curve.wallTimes()),
      values: Array.from(curve.values, (value) => (Number.isFinite(value) ? value : String(value))), // JSON has no NaN.
    }));
}

export async function savePoints(
  name: string,
  series: readonly (readonly [string, string])[],
  kind: "csv" | "json",
): Promise<void> {
  const all = await pointsOf(series);
  if (kind === "json") return saveAs(fileName(name, "json"), JSON.stringify(all), "application/json");
  const rows = all.flatMap(({ run, tag, steps, wall_times, values }) =>
    steps.map((step, i) => [run, tag, step, wall_times[i] ?? null, values[i] ?? null]),
  );
  saveAs(fileName(name, "csv"), csvOf(["run", "tag", "step", "wall_time", "value"], rows), "text/csv");
}
