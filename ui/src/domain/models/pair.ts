// The pair of variants (A, B) that all compression pages compare, and the comparison table with its models and
// variants.
import { computed, effect, signal } from "@preact/signals";
import { ApiError, getJson } from "../../api/client";
import { readTable, tableShape, type Comparison } from "../../api/compression/table";
import { dataVersion } from "../live/live";
import { pathParts, query, setQuery } from "../../base/address";

export const comparison = signal<Comparison | null>(null);
export const comparisonError = signal<ApiError | null>(null);

export const model = computed(() => query.value.get("model"));

/**
 * The shown model: the model that the user has chosen. Without a choice, it is the first model if the page needs a
 * model or if there is only one.
 */
export const shownModel = computed(() => {
  const models = comparison.value?.models ?? [];
  const isNeeded = pathParts.value[0] === "compare" || models.length === 1;
  return model.value ?? (isNeeded ? (models[0]?.name ?? null) : null);
});

/** The variants for which the shown model has values; all variants if no model is shown. */
const variantsHere = computed(() => {
  const table = comparison.value;
  if (!table) return [];
  const shown = shownModel.value === null ? null : table.byName.get(shownModel.value);
  if (!shown) return table.variants;
  return table.variants.filter((variant) => table.metrics.some((metric) => shown.cell(variant, metric.name)));
});

export const variants = variantsHere;

/**
 * The default for A is the baseline of most models. If the shown model does not have this variant, A is the baseline of
 * the shown model.
 */
export const sideA = computed(() => {
  const usual = comparison.value?.baseline ?? "fp32";
  const shown = shownModel.value === null ? undefined : comparison.value?.byName.get(shownModel.value);
  return query.value.get("a") ?? (shown && !variantsHere.value.includes(usual) ? shown.baseline : usual);
});

export const sideB = computed(() => {
  const chosen = query.value.get("b");
  if (chosen !== null) return chosen;
  const others = variantsHere.value.filter((variant) => variant !== sideA.value);
  return others.includes("int8") ? "int8" : (others[0] ?? "int8");
});

export function swapSides(): void {
  const [a, b] = [sideA.value, sideB.value];
  setQuery({ a: b, b: a });
}

export function followComparison(): void {
  let newest = 0;
  effect(() => {
    const version = dataVersion.value;
    newest += 1;
    const mine = newest;
    getJson(tableShape, "compression/table").then(
      (response) => {
        if (mine !== newest) return;
        comparison.value = readTable(response);
        comparisonError.value = null;
      },
      (problem: unknown) => {
        if (mine === newest && problem instanceof ApiError) comparisonError.value = problem;
      },
    );
    return () => void version;
  });
}
