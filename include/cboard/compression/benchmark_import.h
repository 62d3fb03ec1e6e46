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
  // runs/compression_benchmark/<name of the file> when empty.
  std::filesystem::path directory;
  std::int64_t step = 0;
  // Baseline for models that have such a variant, instead of the baseline in the file.
  std::string baseline;
  TagScheme tags = TagScheme::kBoth;
  AuroraOptions aurora;
  bool hparams = true;
  // Called on the calling thread, before the first model and as models are done; the last call has
  // done == total.
  std::function<void(std::size_t done, std::size_t total)> progress;
  // Asked before each model, from several threads; true ends the import with kUnavailable once the
  // models that are being written are whole.
  std::function<bool()> stop_requested;
};

struct ImportedModel {
  std::string model;
  std::filesystem::path run;      // The run's directory.
  std::size_t values = 0;         // Scalars, histograms and texts, sub-runs included.
  std::vector<Omission> omitted;  // Ratios that could not be computed, and why.
};

struct ImportReport {
  std::filesystem::path directory;
  std::filesystem::path hparams_directory;  // Empty when there is no row.
  std::vector<ImportedModel> models;
  std::vector<Omission> skipped;
  // Also: names that are not the directory's, and runs that had event files before.
  std::vector<std::string> warnings;
};

// Reads `json` and writes its models. Nothing is written outside `directory` and its sibling,
// whatever models are called. A run that is there already gets one more event file, as every
// TensorBoard writer does, and the report says so.
//
// Fails as ReadBenchmarkJson, and with the writer's error when the disk refuses. Values written
// until then stay, and the message says how many models are whole and names those that are not.
// Long files are written by a few threads; each has one run open at a time.
Result<ImportReport> ImportBenchmark(const std::filesystem::path& json,
                                     const ImportOptions& options = {});

// The same for results that are in memory already.
Result<ImportReport> ImportBenchmark(const BenchmarkFile& file, const ImportOptions& options = {});

}  // namespace cboard::compression
