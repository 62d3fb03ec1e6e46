// Verdicts and key metrics of the server: one verdict per model, and the same metrics as in the report. See
// docs/rest-api.md, "Compression".
import {
  list,
  nullable,
  number,
  numbers,
  object,
  oneOf,
  readOrNull,
  record,
  string,
  strings,
  toNumber,
  wireNumber,
  wireNumbers,
  type TypeOf,
} from "../shape";

export const summaryShape = object({
  snapshot: number,
  policy: string,
  a: string,
  b: string,
  quality: string,
  headlines: object({ names: strings, figures: strings, units: strings, notes: strings, models: strings }),
  counts: object({ fail: number, watch: number, pass: number, incomplete: number, not_checked: number }),
  models: strings,
  states: strings,
  texts: strings,
  fails: list(strings),
  not_measured: list(strings),
  layers: object({
    red: numbers,
    amber: numbers,
    green: numbers,
    unmeasured: numbers,
    worst: strings,
    not_measured: strings,
  }),
  aurora: object({
    models: numbers,
    scores: wireNumbers,
    coverages: wireNumbers,
    kinds: strings,
    reasons: list(nullable(string)),
    formulas: strings,
    factors: list(record(wireNumber)),
    weights: list(record(wireNumber)),
  }),
  gates: object({ models: numbers, metrics: strings, rules: strings, outcomes: strings, texts: strings }),
});
export type SummaryResponse = TypeOf<typeof summaryShape>;

const stateShape = oneOf("fail", "watch", "pass", "incomplete", "not_checked");
const outcomeShape = oneOf("pass", "fail", "missing");

export type VerdictState = TypeOf<typeof stateShape>;

export interface CheckedGate {
  readonly metric: string;
  /** The rule of a gate as text: "drop ≤ 1 pp", "ratio ≥ 3×". */
  readonly rule: string;
  readonly outcome: TypeOf<typeof outcomeShape>;
  /** The measured value: "0.27 pp", "3.96×"; empty if not measured. */
  readonly measured: string;
}

export interface Verdict {
  readonly state: VerdictState;
  /** The whole result of the gate in one line. */
  readonly text: string;
  readonly fails: readonly string[];
  readonly notMeasured: readonly string[];
  readonly gates: readonly CheckedGate[];
  readonly layers: {
    readonly red: number;
    readonly amber: number;
    readonly green: number;
    readonly unmeasured: number;
    readonly notMeasured: string;
  };
}

/** The AURORA score of a model for the pair of variants of the summary. */
export interface Score {
  readonly score: number | null;
  readonly coverage: number;
  readonly kind: string;
  readonly reason: string | null;
  readonly formula: string;
  /** The factors of the AURORA score; their product is the score. */
  readonly factors: readonly { name: string; factor: number; weight: number | null }[];
}

export interface Headline {
  readonly name: string;
  readonly figure: string;
  readonly unit: string;
  readonly note: string;
  /** The model that this metric belongs to; empty if it summarizes all models. */
  readonly model: string;
}

export interface Summary {
  readonly a: string;
  readonly b: string;
  /** The key of the metric that measures the quality of models, such as `accuracy`; empty if none was logged. */
  readonly quality: string;
  readonly headlines: readonly Headline[];
  readonly counts: SummaryResponse["counts"];
  readonly verdicts: ReadonlyMap<string, Verdict>;
  /** The AURORA score by the model's name; only models that logged both variants have one. */
  readonly scores: ReadonlyMap<string, Score>;
}

/** The verdict for a model that is missing in the server's response: never a pass. */
export const NOT_CHECKED: Verdict = {
  state: "not_checked",
  text: "not checked",
  fails: [],
  notMeasured: [],
  gates: [],
  layers: { red: 0, amber: 0, green: 0, unmeasured: 0, notMeasured: "" },
};

function readScores({ models, aurora }: SummaryResponse): Map<string, Score> {
  return new Map(
    aurora.models.map((model, i): [string, Score] => {
      const score = aurora.scores[i] ?? null;
      const weights = aurora.weights[i] ?? {};
      return [
        models[model] ?? "",
        {
          score: score === null ? null : toNumber(score),
          coverage: toNumber(aurora.coverages[i] ?? 0),
          kind: aurora.kinds[i] ?? "",
          reason: aurora.reasons[i] ?? null,
          formula: aurora.formulas[i] ?? "",
          factors: Object.entries(aurora.factors[i] ?? {}).map(([name, factor]) => ({
            name,
            factor: toNumber(factor),
            weight: name in weights ? toNumber(weights[name] ?? null) : null,
          })),
        },
      ];
    }),
  );
}

export function readSummary(response: SummaryResponse): Summary {
  const verdicts = new Map(
    response.models.map((name, i): [string, Verdict] => {
      return [
        name,
        {
          state: readOrNull(stateShape, response.states[i]) ?? "not_checked",
          text: response.texts[i] ?? NOT_CHECKED.text,
          fails: response.fails[i] ?? [],
          notMeasured: response.not_measured[i] ?? [],
          gates: response.gates.models.flatMap((model, g): CheckedGate[] =>
            model !== i
              ? []
              : [
                  {
                    metric: response.gates.metrics[g] ?? "",
                    rule: response.gates.rules[g] ?? "",
                    outcome: readOrNull(outcomeShape, response.gates.outcomes[g]) ?? "missing",
                    measured: response.gates.texts[g] ?? "",
                  },
                ],
          ),
          layers: {
            red: response.layers.red[i] ?? 0,
            amber: response.layers.amber[i] ?? 0,
            green: response.layers.green[i] ?? 0,
            unmeasured: response.layers.unmeasured[i] ?? 0,
            notMeasured: response.layers.not_measured[i] ?? "",
          },
        },
      ];
    }),
  );
  const { headlines } = response;
  return {
    a: response.a,
    b: response.b,
    quality: response.quality,
    headlines: headlines.names.map((name, i) => ({
      name,
      figure: headlines.figures[i] ?? "",
      unit: headlines.units[i] ?? "",
      note: headlines.notes[i] ?? "",
      model: headlines.models[i] ?? "",
    })),
    counts: response.counts,
    verdicts,
    scores: readScores(response),
  };
}

/** The CSS class of a verdict. Green only if gates were checked and all pass. */
export function toneOfVerdict(state: VerdictState): "good" | "warn" | "bad" | "open" {
  return state === "pass" ? "good" : state === "watch" ? "warn" : state === "fail" ? "bad" : "open";
}

/** A text short enough for a table cell; a tooltip shows the full text. */
export function shortVerdict({ state, fails, text }: Verdict): string {
  if (state === "fail") return [...new Set(fails)].join(", ");
  return (
    { pass: "pass", watch: "pass, to watch", incomplete: "not fully checked", not_checked: "not checked" }[state] ||
    text
  );
}
