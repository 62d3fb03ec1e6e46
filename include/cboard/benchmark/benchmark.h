// Measures the variants of a model: latency relative to each other, throughput, memory, energy and
// accuracy. It also finds the reason why a compressed variant is not faster.
//
//   BenchmarkOptions options;
//   options.model = "resnet18";
//   options.variants = {{"fp32", "resnet18_fp32.onnx"}, {"int8", "resnet18_int8.onnx"}};
//   CBOARD_ASSIGN_OR_RETURN(const ModelBenchmark result, BenchmarkModel(options));
//
// cboard/benchmark/results.h writes the result as JSON and as events.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/benchmark/evaluation.h"
#include "cboard/benchmark/latency.h"
#include "cboard/benchmark/machine.h"
#include "cboard/benchmark/resources.h"
#include "cboard/benchmark/throughput.h"
#include "cboard/benchmark/variant.h"
#include "cboard/benchmark/variant_files.h"
#include "cboard/benchmark/why_slower.h"
#include "cboard/compression/metrics.h"

namespace cboard::benchmark {

enum class Phase { kLoad, kLatency, kThroughput, kMemory, kEnergy, kAccuracy, kReasons };
std::string_view NameOf(Phase phase);  // "measuring latency"

struct ModelBenchmark;

struct BenchmarkOptions {
  std::string model;
  std::vector<VariantFile> variants;
  std::string baseline;  // A variant's name; fp32 if empty, or the first variant.

  RunOptions run;
  double max_seconds = 60;  // Time limit for latency, and for throughput.
  double max_relative_width = 0.01;
  std::uint64_t seed = 0;

  bool measures_throughput = false;
  int streams = 0;  // Number of concurrent inferences; 0: the number of CPUs.
  bool measures_memory = true;
  bool measures_energy = true;
  bool finds_reasons = true;
  EvaluationOptions evaluation;

  // Path of the program `compression-board`, which measures the memory of a variant in a separate
  // process. If the path is empty, memory is not measured.
  std::filesystem::path program;
  MachineRoots machine;
  std::string nvml_library = "libnvidia-ml.so.1";

  // A function that is called with the phase and its progress, 0…1. If it returns false, the
  // benchmark ends with the results so far.
  std::function<bool(Phase phase, double done)> progress;
  // A function that is called with the current results after each phase, so that they are not lost.
  std::function<void(const ModelBenchmark&)> on_update;
};

struct VariantBenchmark {
  std::string name;
  std::filesystem::path path;
  std::string error;  // Why the variant could not be measured; empty if it was.
  std::string sha256;
  std::uint64_t size_bytes = 0;
  double load_ms = 0;
  double first_inference_ms = 0;
  std::optional<VariantLatency> latency;
  std::optional<VariantThroughput> throughput;
  std::optional<MemoryUse> memory;
  std::optional<EnergyUse> energy;
  std::optional<GpuUse> gpu;
  Metrics scores;  // accuracy, f1_score, …
  std::vector<SlowReason> why_slower;
  std::vector<OperatorTime> operator_times;  // Only if the variant is not faster than the baseline.
  // Reasons why the variant's results are not valid: disturbances, NaN outputs, a failed
  // evaluation.
  std::vector<std::string> why_invalid;
  // Metrics that were not measured, with the reason: {"latency_p99_ms", "not enough samples: 120 of
  // 662"}.
  std::vector<compression::Omission> not_measured;

  bool is_measured() const { return error.empty(); }
};

struct ModelBenchmark {
  std::string model;
  std::string baseline;
  std::vector<VariantBenchmark> variants;  // In the order of the options.
  TimeBasis basis = TimeBasis::kWall;
  std::size_t block_count = 0;
  MachineInfo machine;
  std::string runtime_version;
  std::string provider;
  int threads = 0;
  std::size_t batch = 1;
  std::vector<int> cpus;  // CPUs that the process is pinned to.
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> input_shapes;
  std::string data;  // Source of the samples: "val.npz", "random".
  double seconds = 0;
  // True if all phases are done; false if `progress` ended the benchmark.
  bool is_complete = false;
  std::string fingerprint;  // FingerprintOf() the options.

  VariantBenchmark* Find(std::string_view name);
  const VariantBenchmark* Find(std::string_view name) const;
};

// Returns a digest of the files and the settings. Equal digests mean that two benchmarks measure
// the same.
std::string FingerprintOf(const BenchmarkOptions& options);

// Runs the benchmark. A variant that cannot be loaded gets an `error`; the other variants are still
// measured. Fails with kInvalidArgument if options contradict each other, and with the first
// variant's error if no variant can be measured.
Result<ModelBenchmark> BenchmarkModel(const BenchmarkOptions& options);

}  // namespace cboard::benchmark
