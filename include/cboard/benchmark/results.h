// Writes the results of benchmarks as JSON and as events.
//
//   CBOARD_RETURN_IF_ERROR(WriteResults("results/models_benchmark_results.json", {&result, 1}));
//   CBOARD_RETURN_IF_ERROR(LogResults(result, "runs/compression_benchmark"));
//
// `compression-board import` reads this JSON; docs/benchmark.md explains each
// key.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "cboard/base/result.h"
#include "cboard/benchmark/benchmark.h"
#include "cboard/compression/comparison.h"

namespace cboard::benchmark {

// Formats the results: {"resnet18": {"fp32": {…}, "int8": {…}, "model_info": {…},
// "benchmark_time_seconds": 62.1, …}}
std::string ToJson(std::span<const ModelBenchmark> models);

// Fails if WriteResults could not write this file: it is a directory or no benchmark JSON, or its
// folder cannot be written to. Call it before a measurement. Creates the folder.
Result<void> CheckResultsFile(const std::filesystem::path& file);

// Writes the results to a file in one step. Other models that the file already contains stay. Fails
// with kInvalidArgument if the file exists and does not contain benchmark results.
Result<void> WriteResults(const std::filesystem::path& file,
                          std::span<const ModelBenchmark> models);

// Returns the fingerprints of the models in the file whose benchmark is complete, by model name.
// With the fingerprints, the benchmark of a list of models can be resumed. Empty if the file does
// not exist or does not contain benchmark results.
std::map<std::string, std::string, std::less<>> ReadFingerprints(const std::filesystem::path& file);

// Converts the results to the input of the log writers: metrics and latency samples of the measured
// variants.
compression::ModelComparison ToComparison(const ModelBenchmark& model);

// Writes a run per model below `logdir`, and its row of the HParams page below `<logdir>_hparams`.
// Fails with kFailedPrecondition if no variant was measured.
Result<void> LogResults(const ModelBenchmark& model, const std::filesystem::path& logdir);

}  // namespace cboard::benchmark
