// From the server's table to what the Overview shows. Nothing here touches the page.
import {toNumber} from "./api.js";

const isFraction = (values) => values.every((value) => value === null || Math.abs(value) <= 1);

/**
 * The folder a model was imported from: "torchvision/resnet18" of model resnet18 is "torchvision".
 */
function sourceOf(run, model) {
  const parts = run.split("/");
  if (parts.length > 1) parts.pop();
  const source = parts.join("/");
  return source === model || source === "." ? "" : source;
}

/**
 * One entry per variant that is not its model's baseline: both sides of each metric, the ratios,
 * and the tags that would fill the gaps.
 */
export function toPairs(table) {
  const column = (columns, key) => columns.find((entry) => entry.key === key);
  const metrics = new Map(table.metrics.map((entry) => [entry.key, entry]));
  const baselineRows = new Map();
  table.models.forEach((model, row) => {
    if (table.variants[row] === table.baselines[row])
      baselineRows.set(`${table.runs[row]}\n${model}`, row);
  });

  const pairs = [];
  table.models.forEach((model, row) => {
    const from = baselineRows.get(`${table.runs[row]}\n${model}`);
    if (from === undefined || from === row) return;
    const variant = table.variants[row];
    const baseline = table.variants[from];
    const both = (key, usualTag) => {
      const entry = metrics.get(key);
      const tag = entry?.tag ?? usualTag;
      const a = toNumber(entry?.values[from] ?? null);
      const b = toNumber(entry?.values[row] ?? null);
      const missing = [a === null && baseline, b === null && variant].filter(Boolean);
      return {a, b, missing: missing.map((name) => `${model}/${tag}/${name}`)};
    };
    const ratio = (key) => {
      const entry = column(table.ratios, key);
      return {
        value: toNumber(entry?.values[row] ?? null),
        computed: Boolean(entry?.computed?.[row])
      };
    };
    const accuracy = both("accuracy", "metrics/accuracy");
    const scale = isFraction([accuracy.a, accuracy.b]) ? 100 : 1;
    const percent = (value) => (value === null ? null : value * scale);
    const latencySpeedup = ratio("speedup");
    const speedup = latencySpeedup.value === null ? ratio("throughput_ratio") : latencySpeedup;
    pairs.push({
      id: `${table.runs[row]}\n${model}\n${variant}`,
      run: table.runs[row],
      model,
      variant,
      baseline,
      source: sourceOf(table.runs[row], model),
      accuracy: {...accuracy, a: percent(accuracy.a), b: percent(accuracy.b)},
      drop: percent(ratio("accuracy_drop").value),
      size: both("model_size_mb", "performance/model_size_mb"),
      sizeRatio: ratio("size_ratio").value,
      latency: both("latency_mean_ms", "performance/latency_ms"),
      speedup: speedup.value,
      aurora: toNumber(table.aurora.values[row]),
      coverage: toNumber(table.aurora.coverages[row]),
      auroraComputed: table.aurora.computed[row],
      auroraReason: table.aurora.reasons[row],
    });
  });
  return pairs;
}

/** The points worth choosing: those no other beats on both x (less) and y (more). Least x first. */
export function paretoFront(points) {
  const byX = [...points].sort((one, two) => one.x - two.x || two.y - one.y);
  let best = -Infinity;
  return byX.filter((point) => {
    if (point.y <= best) return false;
    best = point.y;
    return true;
  });
}

/** The pair with the greatest value of `read`, among those that have one. */
export function greatest(pairs, read) {
  return pairs.reduce((best, pair) => {
    const value = read(pair);
    if (value === null || !Number.isFinite(value)) return best;
    return best === null || value > read(best) ? pair : best;
  }, null);
}

export function median(values) {
  const sorted =
    values.filter((value) => value !== null && Number.isFinite(value)).sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Every word of the filter occurs somewhere in model, variant or run. */
export function matches(text, filter) {
  const lower = text.toLowerCase();
  return filter.toLowerCase().split(/\s+/).every((word) => lower.includes(word));
}

/** Sorted by `read`; what has no value comes last, whichever way. */
export function sortPairs(pairs, read, descending) {
  return [...pairs].sort((one, two) => {
    const a = read(one);
    const b = read(two);
    const gaps = Number(isGap(a)) - Number(isGap(b));
    if (gaps !== 0) return gaps;
    const order = isGap(a)  ? 0 :
      typeof a === "string" ? a.localeCompare(b, "en", {numeric: true}) :
                              a - b;
    return (descending ? -order : order) ||
      one.model.localeCompare(two.model, "en", {numeric: true});
  });
}

const isGap = (value) =>
  value === null || value === undefined || value === "" || Number.isNaN(value);
