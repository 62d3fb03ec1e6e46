// Turns benchmark JSON into runs that the board and TensorBoard open.
//
//   Result<ImportReport> report = ImportBenchmark("results/models_benchmark_results.json", {});
//
// writes one run per model, runs/compression_benchmark/models_benchmark_results/<model>, and its
// row of the HParams page in the sibling …/models_benchmark_results_hparams/<model>.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/compression/benchmark_json.h"
#include "cboard/compression/compression_writer.h"

namespace cboard::compression {

struct ImportOptions {
  // Output directory. If it is empty, runs/compression_benchmark/<name of the file> is used.
  std::filesystem::path directory;
  std::int64_t step = 0;
  // Overrides the baseline in the file, for models that have a variant of this name.
  std::string baseline;
  TagScheme tags = TagScheme::kBoth;
  AuroraOptions aurora;
  bool hparams = true;
  // A function that is called on the calling thread before the first model and after each model;
  // the last call has done == total.
  std::function<void(std::size_t done, std::size_t total)> progress;
  // A function that is called before each model, from several threads. Returning true ends the
  // import with kUnavailable, after the current models are complete.
  std::function<bool()> stop_requested;
};

struct ImportedModel {
  std::string model;
  std::filesystem::path run;      // The run's directory.
  std::size_t values = 0;         // Number of scalars, histograms and texts, including sub-runs.
  std::vector<Omission> omitted;  // Ratios that could not be computed, with the reason.
};

struct ImportReport {
  std::filesystem::path directory;
  std::filesystem::path hparams_directory;  // Empty if the model has no row of hyperparameters.
  std::vector<ImportedModel> models;
  std::vector<Omission> skipped;
  // Warnings about the file, about runs whose name differs from their directory, and about runs
  // that already had event files.
  std::vector<std::string> warnings;
};

// Reads `json` and writes its models. Nothing is written outside `directory` and its sibling, with
// any model names. A run that already exists gets one more event file, like with any TensorBoard
// writer, and the report says so.
//
// Fails like ReadBenchmarkJson, and with the writer's error if the disk refuses. Values that were
// written before the failure stay; the error says how many models are complete and names the
// incomplete ones. Long files are written by a few threads; each has one run open at a time.
Result<ImportReport> ImportBenchmark(const std::filesystem::path& json,
                                     const ImportOptions& options = {});

// Imports results that are already in memory.
Result<ImportReport> ImportBenchmark(const BenchmarkFile& file, const ImportOptions& options = {});

}  // namespace cboard::compression
