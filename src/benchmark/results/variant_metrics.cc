#include "benchmark/results/variant_metrics.h"

#include <string>

#include "benchmark/latency/percentiles.h"

namespace cboard::benchmark {
namespace {

constexpr double kMegabyte = 1e6;  // Like on the page, where 1 kB is 1,000 bytes.

}  // namespace

Metrics MetricsOf(const VariantBenchmark& variant) {
  Metrics metrics = variant.scores;
  metrics["model_size_mb"] = static_cast<double>(variant.size_bytes) / kMegabyte;
  metrics["load_ms"] = variant.load_ms;
  metrics["first_inference_ms"] = variant.first_inference_ms;
  if (variant.latency) {
    const VariantLatency& latency = *variant.latency;
    metrics["latency_mean_ms"] = latency.mean_ms;
    metrics["latency_std_ms"] = latency.std_ms;
    metrics["latency_min_ms"] = latency.min_ms;
    metrics["latency_max_ms"] = latency.max_ms;
    metrics["latency_cpu_p50_ms"] = latency.cpu_median_ms;
    for (const Percentile& percentile : kPercentiles) {
      const auto value = PercentileOf(latency.samples_ms, percentile.share);
      if (value) metrics[std::string(percentile.key)] = *value;
    }
  }
  if (variant.throughput) metrics["throughput"] = variant.throughput->samples_per_second;
  if (variant.memory) {
    metrics["memory_usage_mb"] = static_cast<double>(variant.memory->peak_bytes) / kMegabyte;
    metrics["memory_model_mb"] =
        static_cast<double>(variant.memory->peak_bytes - variant.memory->before_load_bytes) /
        kMegabyte;
    if (variant.memory->arena_peak_bytes > 0) {
      metrics["memory_arena_mb"] =
          static_cast<double>(variant.memory->arena_peak_bytes) / kMegabyte;
    }
  }
  if (variant.energy) {
    metrics["energy_consumption_mw"] = variant.energy->milliwatts;
    metrics["energy_mj_per_inference"] = variant.energy->millijoules_per_run;
  }
  if (variant.gpu) {
    metrics["gpu_power_mw"] = variant.gpu->milliwatts;
    metrics["gpu_memory_usage_mb"] = variant.gpu->memory_mb;
  }
  return metrics;
}

compression::ModelInfo InfoOf(const ModelBenchmark& model) {
  compression::ModelInfo info = {{"library", "ONNX Runtime " + model.runtime_version},
                                 {"category", "onnx"}};
  std::string shapes;
  for (const auto& [name, shape] : model.input_shapes) {
    std::string text;
    for (const std::int64_t size : shape) text += (text.empty() ? "" : ",") + std::to_string(size);
    shapes += (shapes.empty() ? "" : " ") + name + "=" + text;
  }
  if (!model.input_shapes.empty() && model.input_shapes[0].second.size() > 1) {
    const auto& shape = model.input_shapes[0].second;
    info.emplace_back("input_shape", std::vector<double>(shape.begin() + 1, shape.end()));
  }
  info.emplace_back("description", "measured by compression-board benchmark; samples: " +
                                       model.data + (shapes.empty() ? "" : "; inputs: " + shapes));
  return info;
}

std::vector<double> ThinnedSamples(const VariantLatency& latency, std::size_t max_count) {
  const std::vector<double>& all = latency.samples_ms;
  if (all.size() <= max_count) return all;
  std::vector<double> thinned(max_count);
  for (std::size_t i = 0; i < max_count; ++i) {
    thinned[i] = QuantileOf(all, static_cast<double>(i) / static_cast<double>(max_count - 1));
  }
  return thinned;
}

}  // namespace cboard::benchmark
