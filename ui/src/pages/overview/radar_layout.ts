// The layout of the radar chart: for each metric, the ratio by which B is better than A, on a logarithmic scale, so
// that twice as good and half as good have the same distance from break-even. Pure functions.
import { withoutUnit } from "../../base/text/format";
import { pairAt, type OverviewData, type Row } from "./rows";

export const MAX_IN_RADAR = 5;

export interface Spoke {
  readonly name: string;
  /** One ratio per model. null if the metric of A or B was not logged or not measured. */
  readonly gains: readonly (number | null)[];
}

export interface RadarLayout {
  readonly centre: { x: number; y: number };
  readonly spokes: readonly {
    readonly x: number;
    readonly y: number;
    readonly label: { x: number; y: number; anchor: "start" | "middle" | "end" };
    readonly name: string;
  }[];
  readonly rings: readonly { readonly r: number; readonly text: string; readonly even: boolean }[];
  /** One polygon per model, with a corner for each metric that has a value. */
  readonly shapes: readonly {
    readonly path: string;
    readonly corners: readonly { x: number; y: number; gain: number }[];
  }[];
}

/** The axes: quality, and all resources that at least one of `rows` has for both A and B. */
export function spokesOf(data: OverviewData, rows: readonly Row[]): Spoke[] {
  const better = (row: Row, metric: OverviewData["quality"]): number | null => {
    const pair = pairAt(row, data, metric);
    if (!pair || pair.derived || pair.a === null || pair.b === null || !(pair.a > 0) || !(pair.b > 0)) return null;
    return metric.higherIsBetter === false ? pair.a / pair.b : pair.b / pair.a;
  };
  return [data.quality, ...data.resources]
    .map((metric) => ({ name: withoutUnit(metric.label), gains: rows.map((row) => better(row, metric)) }))
    .filter(({ gains }) => gains.some((gain) => gain !== null));
}

const RINGS = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64];

export function layoutRadar(spokes: readonly Spoke[], width: number, height: number): RadarLayout | null {
  const radius = Math.min(width / 2 - 96, height / 2 - 26);
  if (spokes.length < 3 || radius < 40) return null;
  const all = spokes.flatMap(({ gains }) => gains).filter((gain) => gain !== null);
  const [least, most] = [Math.min(0.5, ...all), Math.max(2, ...all)];
  const distance = (gain: number): number =>
    (Math.log(gain / least) / Math.log(most / least)) * radius * 0.92 + radius * 0.08;
  const centre = { x: width / 2, y: height / 2 };
  const at = (i: number, r: number): { x: number; y: number } => {
    const angle = (i / spokes.length) * 2 * Math.PI - Math.PI / 2;
    return { x: centre.x + Math.cos(angle) * r, y: centre.y + Math.sin(angle) * r };
  };
  const models = spokes[0]?.gains.length ?? 0;
  return {
    centre,
    spokes: spokes.map(({ name }, i) => {
      const label = at(i, radius + 10);
      const side = label.x - centre.x;
      return {
        ...at(i, radius),
        name,
        label: {
          x: label.x,
          y: label.y + (label.y < centre.y - 4 ? -2 : label.y > centre.y + 4 ? 12 : 4),
          anchor: Math.abs(side) < 8 ? "middle" : side > 0 ? "start" : "end",
        },
      };
    }),
    rings: RINGS.filter((ring) => ring >= least && ring <= most).map((ring) => ({
      r: distance(ring),
      text: `${ring}×`,
      even: ring === 1,
    })),
    shapes: Array.from({ length: models }, (_, m) => {
      const corners = spokes.flatMap(({ gains }, i) => {
        const gain = gains[m];
        return gain === null || gain === undefined ? [] : [{ ...at(i, distance(gain)), gain }];
      });
      return {
        corners,
        path:
          corners.map(({ x, y }, i) => `${i === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("") +
          (corners.length > 2 ? "Z" : ""),
      };
    }),
  };
}

/** Ticks or unticks a model. At the limit of five, the model that was ticked first is unticked. */
export function withTick(ticked: readonly string[], name: string): string[] {
  return ticked.includes(name) ? ticked.filter((other) => other !== name) : [...ticked, name].slice(-MAX_IN_RADAR);
}
