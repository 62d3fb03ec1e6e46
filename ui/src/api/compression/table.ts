// The comparison table of the server: models with one value per variant and metric. See docs/rest-api.md,
// "Compression".
import { booleans, number, numbers, object, string, strings, toNumber, wireNumbers, type TypeOf } from "../shape";

export const tableShape = object({
  snapshot: number,
  baseline: string,
  models: strings,
  baselines: strings,
  model_names: strings,
  experiments: strings,
  variants: strings,
  metrics: object({ names: strings, units: strings, directions: strings, labels: strings }),
  cells: object({
    models: numbers,
    variants: numbers,
    metrics: numbers,
    values: wireNumbers,
    derived: booleans,
    runs: strings,
    tags: strings,
    steps: numbers,
    wall_times: numbers,
  }),
});
export type TableResponse = TypeOf<typeof tableShape>;

export interface Metric {
  readonly name: string;
  readonly label: string;
  readonly unit: string;
  readonly higherIsBetter: boolean | null;
}

export interface Cell {
  readonly value: number;
  /** Whether the value was computed from other metrics, not measured. */
  readonly derived: boolean;
  readonly run: string;
  readonly tag: string;
  readonly step: number;
}

export interface Model {
  /** A unique name of the model: "alexnet (again)" if two experiments logged different values for alexnet. */
  readonly name: string;
  /** The baseline of this model: the variant that its other variants are compared with. */
  readonly baseline: string;
  /** The model name as it is written in tags. */
  readonly plainName: string;
  /**
   * The experiment that logged the model; "." means the log directory itself. Models are ranked within their
   * experiment.
   */
  readonly experiment: string;
  cell(variant: string, metric: string): Cell | null;
  value(variant: string, metric: string): number | null;
  isDerived(metric: string, ...variants: readonly string[]): boolean;
}

export interface Comparison {
  readonly snapshot: number;
  readonly baseline: string;
  readonly variants: readonly string[];
  readonly metrics: readonly Metric[];
  readonly models: readonly Model[];
  readonly byName: ReadonlyMap<string, Model>;
}

const keyOf = (variant: string, metric: string): string => `${variant}\0${metric}`;

export function readTable(response: TableResponse): Comparison {
  const cells = response.models.map(() => new Map<string, Cell>());
  response.cells.models.forEach((model, i) => {
    const variant = response.variants[response.cells.variants[i] ?? -1];
    const metric = response.metrics.names[response.cells.metrics[i] ?? -1];
    const value = response.cells.values[i];
    if (variant === undefined || metric === undefined || value === undefined || value === null) return;
    cells[model]?.set(keyOf(variant, metric), {
      value: toNumber(value),
      derived: response.cells.derived[i] ?? false,
      run: response.cells.runs[i] ?? "",
      tag: response.cells.tags[i] ?? "",
      step: response.cells.steps[i] ?? 0,
    });
  });
  const models = response.models.map((name, m): Model => {
    const cell = (variant: string, metric: string): Cell | null => cells[m]?.get(keyOf(variant, metric)) ?? null;
    return {
      name,
      baseline: response.baselines[m] ?? response.baseline,
      plainName: response.model_names[m] ?? name,
      experiment: response.experiments[m] ?? ".",
      cell,
      value: (variant, metric) => cell(variant, metric)?.value ?? null,
      isDerived: (metric, ...variants) => variants.some((variant) => cell(variant, metric)?.derived),
    };
  });
  return {
    snapshot: response.snapshot,
    baseline: response.baseline,
    variants: response.variants,
    metrics: response.metrics.names.map((name, i) => ({
      name,
      label: response.metrics.labels[i] ?? name,
      unit: response.metrics.units[i] ?? "",
      higherIsBetter: directionOf(response.metrics.directions[i]),
    })),
    models,
    byName: new Map(models.map((model) => [model.name, model])),
  };
}

function directionOf(text: string | undefined): boolean | null {
  return text === "higher" ? true : text === "lower" ? false : null;
}
