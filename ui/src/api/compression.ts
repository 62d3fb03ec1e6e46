// The comparison table of the server as the pages use it: models with a value per variant and
// metric. See docs/rest-api.md, "Compression".
import { toNumber, type WireNumber } from "./wire";

export interface TableAnswer {
  snapshot: number;
  baseline: string;
  models: string[];
  baselines: string[];
  model_names: string[];
  experiments: string[];
  variants: string[];
  metrics: { names: string[]; units: string[]; directions: string[]; labels: string[] };
  cells: {
    models: number[];
    variants: number[];
    metrics: number[];
    values: WireNumber[];
    derived: boolean[];
    runs: string[];
    tags: string[];
    steps: number[];
    wall_times: number[];
  };
  aurora: {
    models: number[];
    variants: number[];
    scores: WireNumber[];
    coverages: WireNumber[];
    kinds: string[];
    reasons: (string | null)[];
    formulas: string[];
    factors: Record<string, WireNumber>[];
    weights: Record<string, WireNumber>[];
  };
}

export interface Metric {
  readonly name: string;
  readonly label: string;
  readonly unit: string;
  readonly higherIsBetter: boolean | null;
}

export interface Cell {
  readonly value: number;
  /** Worked out from other figures, not measured. */
  readonly derived: boolean;
  readonly run: string;
  readonly tag: string;
  readonly step: number;
}

export interface Score {
  readonly score: number | null;
  readonly coverage: number;
  readonly kind: string;
  readonly reason: string | null;
  readonly formula: string;
  /** Their product is the score. */
  readonly factors: readonly { name: string; factor: number; weight: number | null }[];
}

export interface Model {
  /** Unique: "alexnet (again)" where two experiments do not agree about alexnet. */
  readonly name: string;
  /** The variant that the others of this model are compared with. */
  readonly baseline: string;
  /** As tags have it. */
  readonly plainName: string;
  /** What it was logged with, "." for the log directory itself; models are ranked among those of one. */
  readonly experiment: string;
  cell(variant: string, metric: string): Cell | null;
  value(variant: string, metric: string): number | null;
  /** The value unless it is derived: what scores and gates count. */
  measured(variant: string, metric: string): number | null;
  isDerived(metric: string, ...variants: readonly string[]): boolean;
  aurora(variant: string): Score | null;
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

export function readTable(answer: TableAnswer): Comparison {
  const cells = answer.models.map(() => new Map<string, Cell>());
  const scores = answer.models.map(() => new Map<string, Score>());
  answer.cells.models.forEach((model, i) => {
    const variant = answer.variants[answer.cells.variants[i] ?? -1];
    const metric = answer.metrics.names[answer.cells.metrics[i] ?? -1];
    const value = answer.cells.values[i];
    if (variant === undefined || metric === undefined || value === undefined || value === null) return;
    cells[model]?.set(keyOf(variant, metric), {
      value: toNumber(value),
      derived: answer.cells.derived[i] ?? false,
      run: answer.cells.runs[i] ?? "",
      tag: answer.cells.tags[i] ?? "",
      step: answer.cells.steps[i] ?? 0,
    });
  });
  answer.aurora.models.forEach((model, i) => {
    const variant = answer.variants[answer.aurora.variants[i] ?? -1];
    if (variant === undefined) return;
    const score = answer.aurora.scores[i] ?? null;
    scores[model]?.set(variant, {
      score: score === null ? null : toNumber(score),
      coverage: toNumber(answer.aurora.coverages[i] ?? 0),
      kind: answer.aurora.kinds[i] ?? "",
      reason: answer.aurora.reasons[i] ?? null,
      formula: answer.aurora.formulas[i] ?? "",
      factors: Object.entries(answer.aurora.factors[i] ?? {}).map(([name, factor]) => ({
        name,
        factor: toNumber(factor),
        weight: name in (answer.aurora.weights[i] ?? {}) ? toNumber(answer.aurora.weights[i]?.[name] ?? null) : null,
      })),
    });
  });
  const models = answer.models.map((name, m): Model => {
    const cell = (variant: string, metric: string): Cell | null => cells[m]?.get(keyOf(variant, metric)) ?? null;
    return {
      name,
      baseline: answer.baselines[m] ?? answer.baseline,
      plainName: answer.model_names[m] ?? name,
      experiment: answer.experiments[m] ?? ".",
      cell,
      value: (variant, metric) => cell(variant, metric)?.value ?? null,
      measured: (variant, metric) => { const found = cell(variant, metric); return found && !found.derived ? found.value : null; },
      isDerived: (metric, ...variants) => variants.some((variant) => cell(variant, metric)?.derived),
      aurora: (variant) => scores[m]?.get(variant) ?? null,
    };
  });
  return {
    snapshot: answer.snapshot,
    baseline: answer.baseline,
    variants: answer.variants,
    metrics: answer.metrics.names.map((name, i) => ({
      name,
      label: answer.metrics.labels[i] ?? name,
      unit: answer.metrics.units[i] ?? "",
      higherIsBetter: directionOf(answer.metrics.directions[i]),
    })),
    models,
    byName: new Map(models.map((model) => [model.name, model])),
  };
}

function directionOf(text: string | undefined): boolean | null {
  return text === "higher" ? true : text === "lower" ? false : null;
}
