// Finds the outputs of networks, and measures those of a compressed one.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cboard/compare/compare_options.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"
#include "cboard/runtime/capture.h"
#include "compare/measure/output_comparison.h"

namespace cboard::compare {

// Positions of those of `tensors` that no other one is computed from, in their order.
std::vector<std::size_t> FindHeads(const model::ModelGraph& model,
                                   std::span<const model::TensorId> tensors);

// Runs the compressed model, edited in many ways, against one baseline. One sample is in memory at
// a time, besides as many of the baseline's outputs as take 256 MiB; others are computed again.
class HeadRunner {
 public:
  // Borrows `variant`. Fails as ModelCapture and OpenSamples do.
  static Result<HeadRunner> Open(const model::ModelGraph& baseline,
                                 const model::ModelGraph& variant, std::vector<OutputPlan> ends,
                                 const CompareOptions& options, std::size_t samples);

  std::size_t samples() const { return samples_->size(); }

  // The SQNR in dB of each output with these edits. nullopt if `progress`, which is called with the
  // number of finished samples, returned false.
  Result<std::optional<std::vector<double>>> Measure(
      runtime::GraphEdits edits,
      const std::function<bool(std::size_t done, std::size_t total)>& progress);

 private:
  // The baseline's output at an end, for one sample.
  struct CapturedOutput {
    std::vector<float> values;
    std::vector<std::int64_t> shape;
  };

  HeadRunner(runtime::ModelCapture baseline, const model::ModelGraph& variant,
             std::vector<OutputPlan> ends, std::unique_ptr<runtime::SampleSource> samples);

  Result<void> CacheBaselineOutputs(const runtime::CapturedSample& sample);
  Result<void> Compare(const runtime::CapturedSample& sample,
                       std::vector<tensor::ComparisonBuilder>& builders) const;

  runtime::ModelCapture baseline_;
  const model::ModelGraph& variant_;
  std::vector<OutputPlan> ends_;
  std::unique_ptr<runtime::SampleSource> samples_;
  std::vector<std::vector<CapturedOutput>>
      captured_;  // By output of the network, for the first samples.
  std::size_t kept_bytes_ = 0;
};

}  // namespace cboard::compare
