// The layers in the order in which the server has ranked them, prepared for the page.
import type { LayersResponse, SidesResponse } from "../../api/compression/layers";
import { type WireNumber, toNumber } from "../../api/shape";
import { dbText, fromLogged } from "./decibels";
import { fixed } from "../../base/text/format";

export interface PairOfVariants {
  readonly model: string | null;
  readonly a: string;
  readonly b: string;
}

/**
 * The logged variants of a model, and the variants that belong to no model. If no model is given, the variants of all
 * models.
 */
function sidesOfModel(
  sides: SidesResponse,
  wanted: string | null,
): { model: string; variant: string; tableVariant: string }[] {
  return sides.models
    .map((model, i) => ({ model, variant: sides.variants[i] ?? "", tableVariant: sides.table_variants[i] ?? "" }))
    .filter(({ model }) => wanted === null || model === wanted || model === "");
}

/**
 * Whether A and B both have logged layers of the model. A variant may be given by its logged name or by its name in the
 * comparison table.
 */
export function hasLayers(sides: SidesResponse, { model, a, b }: PairOfVariants): boolean {
  const rows = sidesOfModel(sides, model);
  return (
    a !== b &&
    [a, b].every((name) => name !== "" && rows.some((row) => row.variant === name || row.tableVariant === name))
  );
}

/**
 * The wanted pair if its layers were logged. Otherwise two variants of the first model with layers: the first and the
 * last quantization stage, or the first two variants.
 */
export function pairToShow(sides: SidesResponse, wanted: PairOfVariants): PairOfVariants | null {
  if (hasLayers(sides, wanted)) return wanted;
  const rows = sidesOfModel(sides, wanted.model);
  const [first] = rows;
  const others = rows.filter((row) => row.model === first?.model && row.variant !== first.variant);
  const second = others.find((row) => row.tableVariant === "quantized") ?? others[0];
  return first && second ? { model: first.model || wanted.model, a: first.variant, b: second.variant } : null;
}

/** A layer fails below `red_db`, and gets a warning below `amber_db`. */
export interface Limits {
  readonly red_db: number;
  readonly amber_db: number;
}

/** The level of a layer as a CSS class. "open" means not measured: neither good nor bad. */
export type Level = "good" | "warn" | "bad" | "open";

export interface Layer {
  readonly key: string; // A unique key: name, part and parameter.
  readonly name: string;
  readonly otherName: string;
  readonly role: string;
  readonly parameter: string;
  /** The number of layers that were logged before this one. */
  readonly depth: number;
  readonly a: { run: string; tag: string };
  readonly b: { run: string; tag: string };
  readonly pairedBy: string;
  readonly level: Level;
  readonly cause: string;
  /** The short text of the cause for a table cell; empty if the layer is not damaged. */
  readonly causeText: string;
  readonly causeHeadline: string;
  readonly explanation: string;
  /** The earlier layer that may cause this layer's error; empty for most layers. */
  readonly carriedFrom: string;
  /** The cheapest fix that is sufficient, with its predicted SQNR; empty if the model files were not compared. */
  readonly fix: string;
  /** The SQNR in dB that is printed, drawn and compared with the limits; NaN if not measured. */
  readonly sqnr: number;
  /** The key of the number in `sqnr`: sqnr_db, worst_channel_sqnr_db, sqnr_at_most_db, … */
  readonly sqnrBy: string;
  /** Whether `sqnr` is an upper bound, so that the true SQNR may be lower. */
  readonly sqnrIsBound: boolean;
  /** The limits for `sqnr`. */
  readonly limits: Limits;
  readonly bits: number;
  /** The SQNR converted to 8 bits. It decides the level. null for layers of 8 bits. */
  readonly asEightBits: number | null;
  /** The SQNR of the whole layer, if it was logged. */
  readonly ownSqnr: number | null;
  /**
   * The number of decimals: 1, or 2 if one decimal would round the SQNR to the limit that it misses (19.98, not 20.0).
   */
  readonly sqnrDecimals: number;
  readonly worstChannel: number | null;
  /** The number of that channel, if it was logged. */
  readonly worstChannelNumber: number | null;
  readonly carried: number | null;
  readonly cosine: number | null;
  readonly mse: number | null;
  readonly kl: number | null;
  /** The size of the layer in variant B, in bytes. */
  readonly bytes: number | null;
  /** The score of the model if only this layer is quantized. */
  readonly scoreAlone: number | null;
  /** The gain of output SQNR in dB if only this layer is restored to float. */
  readonly restored: number | null;
  readonly w1: number | null;
  readonly clipped: number | null;
  readonly meanShift: number | null;
  readonly rangeRatio: number | null;
  readonly codesUsed: number | null;
  readonly fallback: string;
}

const LEVELS: Record<string, Level> = { green: "good", amber: "warn", red: "bad" };

export function readLayers(response: Pick<LayersResponse, "limits" | "layers">): Layer[] {
  const c = response.layers;
  const number = (column: readonly WireNumber[], i: number): number | null => {
    const value = column[i];
    return value === undefined || value === null ? null : toNumber(value);
  };
  const decibels = (column: readonly WireNumber[], i: number): number | null => {
    const db = number(column, i);
    return db === null ? null : fromLogged(db);
  };
  return c.names.map((name, i) => {
    const sqnr = decibels(c.judged_db, i) ?? NaN;
    const level = LEVELS[c.levels[i] ?? ""] ?? "open";
    const parameter = c.parameters[i] ?? "";
    const limits = {
      red_db: number(c.red_db, i) ?? response.limits.red_db,
      amber_db: number(c.amber_db, i) ?? response.limits.amber_db,
    };
    return {
      key: [name, c.roles[i], parameter].join("\u0000"),
      name,
      otherName: c.variant_names[i] ?? name,
      role: c.roles[i] ?? "output",
      parameter,
      depth: c.depths[i] ?? 0,
      a: { run: c.a_runs[i] ?? "", tag: c.a_tags[i] ?? "" },
      b: { run: c.b_runs[i] ?? "", tag: c.b_tags[i] ?? "" },
      pairedBy: c.paired_by[i] ?? "name",
      level,
      cause: c.causes[i] ?? "none",
      causeText: c.cause_texts[i] ?? "",
      causeHeadline: c.cause_headlines[i] ?? "",
      explanation: c.explanations[i] ?? "",
      carriedFrom: c.carried_from[i] ?? "",
      fix: c.fixes[i] ?? "",
      sqnr,
      sqnrBy: c.judged_by[i] ?? "",
      sqnrIsBound: c.judged_is_bound[i] ?? false,
      limits,
      bits: c.bits[i] ?? 8,
      asEightBits: number(c.as_8_bits_db, i),
      ownSqnr: decibels(c.sqnr_db, i),
      sqnrDecimals: decimalsOf(sqnr, limits),
      worstChannel: decibels(c.worst_channel_sqnr_db, i),
      worstChannelNumber: number(c.worst_channel, i),
      carried: decibels(c.accumulated_sqnr_db, i),
      cosine: number(c.cosine, i),
      mse: number(c.mse, i),
      kl: number(c.kl, i),
      bytes: number(c.bytes, i),
      scoreAlone: number(c.score_alone, i),
      restored: number(c.restored_alone_db, i),
      w1: number(c.w1_by_sigma, i),
      clipped: number(c.clipped_share, i),
      meanShift: number(c.mean_shift_by_sigma, i),
      rangeRatio: number(c.range_ratio, i),
      codesUsed: number(c.codes_used, i),
      fallback: c.fallback_operations[i] ?? name,
    };
  });
}

export type Sqnr = Pick<Layer, "sqnr" | "sqnrIsBound" | "sqnrDecimals">;

/** The SQNR of a layer: "35.2", "exact", "lost", or "not measured". */
export function sqnrText(layer: Sqnr): string {
  return Number.isNaN(layer.sqnr) ? "not measured" : dbText(layer.sqnr, layer.sqnrDecimals);
}

const NAMES: Record<string, string> = {
  worst_channel_sqnr_db: "worst channel",
  weighted_sqnr_db: "weighted",
  end_sqnr_db: "at the output",
  accumulated_sqnr_db: "accumulated",
  cosine: "by the cosine",
  rmse_by_scale: "by the error in steps",
};

/**
 * The name of the metric that decides the layer's level, such as "worst channel"; empty if it is the SQNR of the whole
 * layer.
 */
export const nameOfFigure = (layer: Pick<Layer, "sqnrBy">): string => NAMES[layer.sqnrBy] ?? "";

/** The number of decimals of an SQNR: enough that a failing SQNR is never rounded to the limit. */
export function decimalsOf(sqnr: number, limits: Pick<Limits, "red_db" | "amber_db">): number {
  return [limits.red_db, limits.amber_db].some((limit) => sqnr < limit && fixed(sqnr, 1) === fixed(limit, 1)) ? 2 : 1;
}

/** The SQNR of a layer with unit: "35.2 dB", "exact", "lost". */
export function sqnrWithUnit(layer: Sqnr): string {
  return `${sqnrText(layer)}${Number.isFinite(layer.sqnr) ? " dB" : ""}`;
}

/** The SQNR of a layer with unit and name: "35.2 dB", "1.9 dB worst channel", "not measured". */
export function figureText(layer: Pick<Layer, "sqnrBy"> & Sqnr): string {
  const name = nameOfFigure(layer);
  return `${layer.sqnrIsBound && Number.isFinite(layer.sqnr) ? "≤ " : ""}${sqnrWithUnit(layer)}${name ? `, ${name}` : ""}`;
}

/** A limit in dB: "20", or "9.6" for low bit widths. */
export const limitText = (db: number): string => fixed(db, Number.isInteger(db) ? 0 : 1);

/** The upper end of bars and stems: the SQNR of an undamaged layer of this bit width. It is 40 dB for 8 bits. */
export const topOf = ({ amber_db: amber }: Limits): number => (amber * 4) / 3;

/** Whether A and B both have a histogram. Layers of imported reports have only metrics. */
export function hasHistograms(layer: Layer): boolean {
  return layer.a.tag !== "" && layer.b.tag !== "";
}

export const SORTS = [
  { id: "sqnr", text: "SQNR" },
  { id: "worst", text: "Worst channel" },
  { id: "cosine", text: "Cosine" },
  { id: "mse", text: "MSE" },
  { id: "kl", text: "KL" },
  { id: "w1", text: "Distance" },
  { id: "alone", text: "Alone" },
  { id: "restored", text: "Restored" },
] as const;

export type SortId = (typeof SORTS)[number]["id"];

/** The value to sort by; larger is worse. Null if it was not measured. */
function badnessOf(layer: Layer, by: SortId): number | null {
  const less = (value: number | null): number | null => (value === null ? null : -value);
  switch (by) {
    case "sqnr":
      return Number.isNaN(layer.sqnr) ? null : -layer.sqnr;
    case "worst":
      return less(layer.worstChannel);
    case "cosine":
      return less(layer.cosine);
    case "mse":
      return layer.mse;
    case "kl":
      return layer.kl;
    case "w1":
      return layer.w1;
    case "alone":
      return less(layer.scoreAlone);
    case "restored":
      return layer.restored;
  }
}

const FROM_GOOD_TO_BAD = ["open", "good", "warn", "bad"];

/**
 * The layers, worst first; layers without the metric are last. In the order by SQNR, failing layers come first, because
 * comparisons of model files detect bad channels that the SQNR of the whole layer hides. Failing layers whose error may
 * come from an earlier layer follow the other failing layers.
 */
export function sortLayers(layers: readonly Layer[], by: SortId): Layer[] {
  const levelOf = (layer: Layer): number =>
    by === "sqnr" ? 2 * FROM_GOOD_TO_BAD.indexOf(layer.level) + Number(layer.carriedFrom === "") : 0;
  return layers
    .map((layer) => ({ layer, badness: badnessOf(layer, by) ?? NaN }))
    .sort((p, q) => {
      if (levelOf(p.layer) !== levelOf(q.layer)) return levelOf(q.layer) - levelOf(p.layer);
      // Layers that were not measured keep the order of the model.
      if (p.layer.level === "open" && q.layer.level === "open" && Number.isNaN(p.badness) && Number.isNaN(q.badness))
        return p.layer.depth - q.layer.depth;
      if (Number.isNaN(p.badness) || Number.isNaN(q.badness))
        return Number(Number.isNaN(p.badness)) - Number(Number.isNaN(q.badness));
      return p.badness === q.badness ? 0 : q.badness - p.badness; // The difference of two infinities is NaN.
    })
    .map(({ layer }) => layer);
}

/** The sort orders for which at least one layer has a value. */
export function usableSorts(layers: readonly Layer[]): SortId[] {
  return SORTS.map((sort) => sort.id).filter(
    (id) => id === "sqnr" || layers.some((layer) => badnessOf(layer, id) !== null),
  );
}
