// The tag in which a metric of a variant would be logged, for cells that show which tag is missing.
// docs/formats/compression-tags.md describes the grammar.

const PERFORMANCE: Readonly<Record<string, string>> = {
  latency_mean_ms: "latency_ms",
  energy_consumption_mw: "energy_mw",
  gpu_memory_usage_mb: "gpu_memory_mb",
  model_size_mb: "model_size_mb",
  memory_usage_mb: "memory_usage_mb",
  throughput: "throughput",
};

export function flatTag(model: string, metric: string, variant: string): string {
  const renamed = PERFORMANCE[metric] ?? (/^latency_\w+_ms$/.test(metric) ? metric : undefined);
  return renamed === undefined ? `${model}/metrics/${metric}/${variant}` : `${model}/performance/${renamed}/${variant}`;
}
