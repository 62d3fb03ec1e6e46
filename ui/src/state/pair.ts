// The pair A and B that drives every compression page, and the table it is chosen from.
import { computed, effect, signal } from "@preact/signals";
import { ApiError, getJson } from "../api/client";
import { readTable, type Comparison, type TableAnswer } from "../api/compression";
import { dataVersion } from "./live";
import { query, setQuery } from "./location";

export const comparison = signal<Comparison | null>(null);
export const comparisonError = signal<ApiError | null>(null);

export const model = computed(() => query.value.get("model"));

/** The variants that the chosen model has values of; all of them when none is chosen. */
const variantsHere = computed(() => {
  const table = comparison.value;
  if (!table) return [];
  const chosen = model.value === null ? null : table.byName.get(model.value);
  if (!chosen) return table.variants;
  return table.variants.filter((variant) => table.metrics.some((metric) => chosen.cell(variant, metric.name)));
});

export const variants = variantsHere;

export const sideA = computed(() => query.value.get("a") ?? comparison.value?.baseline ?? "fp32");

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
    getJson<TableAnswer>("compression/table").then(
      (answer) => {
        if (mine !== newest) return;
        comparison.value = readTable(answer);
        comparisonError.value = null;
      },
      (problem: unknown) => {
        if (mine === newest && problem instanceof ApiError) comparisonError.value = problem;
      },
    );
    return () => void version;
  });
}
