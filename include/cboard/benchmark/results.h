// Results of benchmarks as JSON and as events.
//
//   CBOARD_RETURN_IF_ERROR(WriteResults("results/models_benchmark_results.json", {&result, 1}));
//   CBOARD_RETURN_IF_ERROR(LogResults(result, "runs/compression_benchmark"));
//
// The JSON is the one that `compression-board import` reads, with more keys; docs/benchmark.md
// explains each.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "cboard/base/result.h"
#include "cboard/benchmark/benchmark.h"
#include "cboard/compression/comparison.h"

namespace cboard::benchmark {

// {"resnet18": {"fp32": {…}, "int8": {…}, "model_info": {…}, "benchmark_time_seconds": 62.1, …}}
std::string ToJson(std::span<const ModelBenchmark> models);

// Writes the file in one step. Models that the file has already stay, but for those of the same
// name. Fails with kInvalidArgument when the file is there and is not such JSON.
Result<void> WriteResults(const std::filesystem::path& file,
                          std::span<const ModelBenchmark> models);

// The fingerprints of the models in the file whose benchmark is complete, by the model's name, to
// resume a list of models. Empty if there is no file, or no such JSON in it.
std::map<std::string, std::string, std::less<>> ReadFingerprints(const std::filesystem::path& file);

// Data for the board: metrics and latency samples of the measured variants.
compression::ModelComparison ToComparison(const ModelBenchmark& model);

// Writes a run per model below `logdir`, with its row of the HParams page in the sibling
// `<logdir>_hparams`. Fails with kFailedPrecondition when no variant was measured.
Result<void> LogResults(const ModelBenchmark& model, const std::filesystem::path& logdir);

}  // namespace cboard::benchmark
