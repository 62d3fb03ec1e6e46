// Runs a compressed model with its parts switched, and measures what is left at its declared
// outputs. The baseline runs once. Each run has one thread, and several samples run at once: this
// uses all processors and wastes no time on waiting threads.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/compare/compare_options.h"
#include "cboard/compare/end_verdict.h"
#include "cboard/model/model_graph.h"
#include "cboard/runtime/capture.h"
#include "compare/blame/switch_board.h"
#include "compare/measure/end_outputs.h"

namespace cboard::compare {

// Outputs of the network after a run.
struct EndState {
  EndVerdict verdict;
  // The error at the heads that are damaged in the unchanged model: the mean of their noise powers,
  // each relative to the variance of the signal; 1 is as much noise as signal. Errors of
  // independent parts add up. Between kMinCost and kMaxCost.
  double cost = 0;

  double SqnrDb() const;
};
inline constexpr double kMinCost = 1e-8, kMaxCost = 10;

// The cost of a verdict, over the heads that are kDegraded or worse in `damaged`.
double CostOf(const EndVerdict& verdict, const EndVerdict& damaged);

class EndRunner {
 public:
  // Runs the baseline on up to `max_samples` samples and keeps its outputs; fewer where they would
  // take more than 256 MiB. Borrows both models and `as_it_is`, the verdict on the compressed one.
  // Fails as ModelCapture and OpenSamples do.
  static Result<EndRunner> Open(const model::ModelGraph& baseline, const model::ModelGraph& variant,
                                const EndVerdict& as_it_is, const CompareOptions& options,
                                std::size_t max_samples);

  // Names of the tensors that `board` has to capture.
  std::vector<std::string> VariantTensors() const;

  std::size_t samples() const { return captured_.size(); }

  // CPU time of all runs so far. Unlike wall time, it does not depend on other work of the machine.
  double cpu_seconds() const { return cpu_seconds_; }

  // Runs the first `samples`, several at once. Fails as ModelCapture::Run does.
  Result<EndState> Measure(const SwitchBoard& board, const Settings& settings, std::size_t samples);

 private:
  // A tensor of the baseline: outputs have values, other tensors only shapes.
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
  double cpu_seconds_ = 0;
};

}  // namespace cboard::compare
