// The result of `benchmark`, for people.
#pragma once

#include <string>

#include "cboard/benchmark/benchmark.h"

namespace cboard::cli {

std::string BenchmarkText(const benchmark::ModelBenchmark& model);

}  // namespace cboard::cli
