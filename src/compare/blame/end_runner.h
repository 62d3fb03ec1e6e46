// Runs a compressed model with some of its parts in float, and measures the error of its declared
// outputs. The baseline runs once. Each run has one thread, and several samples run at once: this
// uses all processors and wastes no time on waiting threads.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/compare/compare_options.h"
#include "cboard/compare/end_verdict.h"
#include "cboard/model/model_graph.h"
#include "cboard/runtime/capture.h"
#include "compare/blame/switch_board.h"
#include "compare/measure/end_outputs.h"
#include "compare/measure/output_ranges.h"

namespace cboard::compare {

// The verdict on the model's outputs after a run, and their error.
struct EndState {
  EndVerdict verdict;
  // The error of the heads (model outputs) that are damaged in the unchanged model: the mean of
  // their noise-to-signal power ratios; 1 means that the noise is as strong as the signal. Errors
  // of independent parts add up. Limited to kMinCost … kMaxCost.
  double cost = 0;
  // The same mean, but computed from the SQNR also for features. The `cost` of features is computed
  // from the mean cosine instead, because the SQNR hardly improves if only one of two strong causes
  // is undone.
  double noise = 0;

  double SqnrDb() const;
};
inline constexpr double kMinCost = 1e-8, kMaxCost = 10;

// Sets `cost` and `noise` of `state` from its verdict: the mean over the heads whose level in
// `damaged` is kDegraded or worse.
void SetCost(const EndVerdict& damaged, EndState& state);

class EndRunner {
 public:
  // Runs the baseline on up to `max_samples` samples and stores its outputs. Uses fewer samples if
  // the outputs would take more than 256 MiB. Borrows both models and `as_it_is`, the verdict on
  // the compressed model. Fails as ModelCapture and OpenSamples do.
  static Result<EndRunner> Open(const model::ModelGraph& baseline, const model::ModelGraph& variant,
                                const EndVerdict& as_it_is, const CompareOptions& options,
                                std::size_t max_samples);

  // Names of the tensors that `board` must capture.
  std::vector<std::string> VariantTensors() const;

  std::size_t samples() const { return captured_.size(); }

  // Runs the baseline with all inputs set to zero, and returns the ranges of `tensors`. Tensors
  // without finite values are omitted. Fails if ModelCapture fails.
  Result<std::unordered_map<std::string, CodeRange>> RangesOnZeros(
      const std::vector<std::string>& tensors);

  // CPU time of all runs so far in seconds. Unlike elapsed time, it does not depend on the load of
  // the machine.
  double cpu_seconds() const { return cpu_seconds_; }

  // Seconds since Open() was called.
  double elapsed_seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - opened_).count();
  }

  // The time that counts for limits: the larger of CPU time and elapsed time. Parallel runs use
  // more CPU time than elapsed time, unless the machine is busy.
  double seconds() const { return std::max(cpu_seconds(), elapsed_seconds()); }

  // Runs the model on the first `samples` samples, several at once, and evaluates its outputs.
  // Fails as ModelCapture::Run does.
  Result<EndState> Measure(const SwitchBoard& board, const Settings& settings, std::size_t samples);

 private:
  // A captured tensor of the baseline. Only outputs of the model have stored values; for all other
  // tensors only the shape is stored.
  struct CapturedOutput {
    std::string name;
    DType dtype;
    std::vector<std::int64_t> shape;
    std::string bytes;
  };

  EndRunner(const model::ModelGraph& baseline, const model::ModelGraph& variant,
            const EndVerdict& as_it_is, std::unique_ptr<runtime::SampleSource> source)
      : baseline_(&baseline),
        variant_(&variant),
        as_it_is_(&as_it_is),
        source_(std::move(source)) {}

  Result<void> AddSample(std::size_t index, std::span<const runtime::NamedTensor> inputs,
                         const runtime::RunResult& result, EndGatherer& gatherer) const;

  const model::ModelGraph* baseline_;
  const model::ModelGraph* variant_;
  const EndVerdict* as_it_is_;
  std::unique_ptr<runtime::SampleSource> source_;
  std::vector<std::vector<CapturedOutput>> captured_;  // By sample.
  std::chrono::steady_clock::time_point opened_ = std::chrono::steady_clock::now();
  double cpu_seconds_ = 0;
};

}  // namespace cboard::compare
