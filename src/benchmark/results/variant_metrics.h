// The metrics of a variant as they are written to JSON and events.
#pragma once

#include <vector>

#include "cboard/benchmark/benchmark.h"
#include "cboard/compression/comparison.h"

namespace cboard::benchmark {

// Returns the metrics that were measured, by their keys in benchmark JSON.
Metrics MetricsOf(const VariantBenchmark& variant);

// Returns the facts about the model and the measurement.
compression::ModelInfo InfoOf(const ModelBenchmark& model);

// Returns at most `max_count` evenly spaced quantiles of the latency samples, in ascending order.
std::vector<double> ThinnedSamples(const VariantLatency& latency, std::size_t max_count);

}  // namespace cboard::benchmark
