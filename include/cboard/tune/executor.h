// Runs trials. A trial is described by a directory, so that it can run on another machine:
//
//   trial_2/settings.json   in: the changes to the plan, and the end SQNR on held-out samples
//   trial_2/model.onnx      in: the model to evaluate
//   trial_2/result.json     out: metrics, or the reason of a failure; written last
//   trial_2/log.txt         out: what the evaluation reported
//
// The search gets results from an executor and does not know where trials run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/benchmark/evaluation.h"
#include "cboard/benchmark/statistics.h"
#include "cboard/benchmark/variant.h"
#include "cboard/compression/metrics.h"

namespace cboard::tune {

struct TrialJob {
  int number = 0;  // 0 for the baseline.
  std::filesystem::path directory;
  std::filesystem::path model;
  // The limit of the metric: the worst value that meets the goal. An evaluation may end early if it
  // is certain to miss the limit.
  std::optional<double> limit;
};

// The result of an evaluation: either an accuracy or a failure.
struct TrialResult {
  std::optional<double> accuracy;
  Metrics metrics;                   // All measured metrics, including `accuracy`.
  std::vector<double> per_item;      // The metric of each sample, if the evaluation gives it.
  std::string failure;               // Why there is no accuracy.
  std::optional<double> speedup;     // Relative to the baseline, if measured.
  std::optional<double> latency_ms;  // Mean of one inference.
  std::optional<double> energy_mj;   // Energy of one inference, above idle.
  // Number of samples of the evaluation, if it ended early because its result was certain. 0 means
  // that all samples were evaluated.
  std::size_t evaluated_samples = 0;
  std::uint64_t size_bytes = 0;
  double seconds = 0;  // Duration of the evaluation.

  bool has_failed() const { return !accuracy.has_value(); }
};

class TrialExecutor {
 public:
  virtual ~TrialExecutor() = default;

  // Runs the jobs and returns the results in the order of the jobs. A failed evaluation is a normal
  // result. An error means that no further trial can run.
  virtual Result<std::vector<TrialResult>> Run(std::span<const TrialJob> jobs) = 0;
};

// The way in which a model is evaluated.
struct Evaluation {
  // A function of the caller that evaluates a model; its metric is "accuracy".
  std::function<Result<TrialResult>(const std::filesystem::path& model)> function;
  // How the accuracy is evaluated without `function`: by a command, or by metrics on labels. If
  // neither a command nor metrics are set, the metric is the agreement with the float model.
  benchmark::EvaluationOptions options;
  benchmark::RunOptions run;           // Samples for metrics, agreement and latency.
  std::filesystem::path sys = "/sys";  // Directory of the kernel's energy counters.

  // Key of the metric: "accuracy", "agreement", "wer".
  std::string MetricKey() const;
  compression::Better better() const;
};

// Selects the costs that an executor measures in addition to the accuracy of a model.
struct MeasuredCosts {
  bool latency = false;
  bool energy = false;  // Fails if the machine has no energy counters.
};

// Returns an executor that runs trials in this process, one after the other. `baseline` is the
// float model.
std::unique_ptr<TrialExecutor> MakeLocalExecutor(std::filesystem::path baseline,
                                                 Evaluation evaluation, MeasuredCosts costs,
                                                 std::function<bool()> stop_requested = nullptr);

}  // namespace cboard::tune
