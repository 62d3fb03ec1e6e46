// The numbers of a variant, as the JSON and the events have them.
#pragma once

#include <vector>

#include "cboard/benchmark/benchmark.h"
#include "cboard/compression/comparison.h"

namespace cboard::benchmark {

// By the keys of benchmark JSON; only those that were measured.
Metrics MetricsOf(const VariantBenchmark& variant);

// Facts about the model and the measurement.
compression::ModelInfo InfoOf(const ModelBenchmark& model);

// At most `max_count` quantiles of the samples, evenly spread, ascending.
std::vector<double> ThinnedSamples(const VariantLatency& latency, std::size_t max_count);

}  // namespace cboard::benchmark
