// Runs trials. A trial is a directory, so that it can run on another machine:
//
//   trial_2/settings.json   in: the changes to the plan, and the end SQNR on held-out samples
//   trial_2/model.onnx      in: the model to evaluate
//   trial_2/result.json     out: metrics, or the reason of a failure; written last
//   trial_2/log.txt         out: what the evaluation reported
//
// The search asks an executor for results and does not know where trials run.
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
  int number = 0;  // 0: the baseline.
  std::filesystem::path directory;
  std::filesystem::path model;
  // The worst metric that meets the goal: an evaluation may end when it is certain to be missed.
  std::optional<double> limit;
};

// An evaluation gives an accuracy or a failure, never both and never none of them.
struct TrialResult {
  std::optional<double> accuracy;
  Metrics metrics;                   // All that the evaluation measured, `accuracy` among them.
  std::vector<double> per_item;      // The metric of each sample, if the evaluation gives it.
  std::string failure;               // Why there is no accuracy.
  std::optional<double> speedup;     // Against the baseline, if it was measured.
  std::optional<double> latency_ms;  // Mean of one inference.
  std::optional<double> energy_mj;   // Energy of one inference, above idle.
  // Samples of an evaluation that ended early, because its verdict was certain; 0: all of them.
  std::size_t evaluated_samples = 0;
  std::uint64_t size_bytes = 0;
  double seconds = 0;  // Duration of the evaluation.

  bool has_failed() const { return !accuracy.has_value(); }
};

class TrialExecutor {
 public:
  virtual ~TrialExecutor() = default;

  // The results in the order of the jobs. Failures of evaluations are results; an error means that
  // no further trial can run.
  virtual Result<std::vector<TrialResult>> Run(std::span<const TrialJob> jobs) = 0;
};

// How a model is evaluated.
struct Evaluation {
  // A function of the caller; the metric is "accuracy".
  std::function<Result<TrialResult>(const std::filesystem::path& model)> function;
  // Or a command, or metrics on labels. Without any of the three: agreement with the float model.
  benchmark::EvaluationOptions options;
  benchmark::RunOptions run;           // Samples of metrics and agreement, and of the latency.
  std::filesystem::path sys = "/sys";  // Energy counters.

  // The name of the metric: "accuracy", "agreement", "wer".
  std::string MetricKey() const;
  compression::Better better() const;
};

// Costs of a model that an executor measures beside its accuracy.
struct MeasuredCosts {
  bool latency = false;
  bool energy = false;  // Fails where the machine has no counters.
};

// Runs trials in this process, one after the other. `baseline` is the float model.
std::unique_ptr<TrialExecutor> MakeLocalExecutor(std::filesystem::path baseline,
                                                 Evaluation evaluation, MeasuredCosts costs,
                                                 std::function<bool()> stop_requested = nullptr);

}  // namespace cboard::tune
