// Requests for scalars, except for curves (curves.ts): last values, groups of runs, and the layout of custom charts.
import { boolean, list, numbers, object, optional, string, strings, wireNumbers, type TypeOf } from "./shape";

export const lastValuesShape = object({ runs: strings, values: wireNumbers });
export type LastValues = TypeOf<typeof lastValuesShape>;

/** Mean and standard deviation over the runs of each group. A group without these values has an error. */
export const groupsShape = object({
  groups: list(
    object({
      name: string,
      x: optional(wireNumbers),
      mean: optional(wireNumbers),
      deviation: optional(wireNumbers),
      counts: optional(numbers),
      error: optional(object({ message: string })),
    }),
  ),
});
export type Groups = TypeOf<typeof groupsShape>;

const layoutChartShape = object({
  title: string,
  tags: optional(strings),
  margins: optional(object({ values: strings, lowers: strings, uppers: strings })),
});
export type LayoutChart = TypeOf<typeof layoutChartShape>;

export const layoutsShape = object({
  categories: list(object({ title: string, closed: boolean, charts: list(layoutChartShape) })),
  problems: strings,
});
export type Layouts = TypeOf<typeof layoutsShape>;
