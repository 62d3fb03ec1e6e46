// The tag under which a metric of a variant would be, for cells that say what is missing. The
// grammar is that of docs/formats/compression-tags.md.

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
