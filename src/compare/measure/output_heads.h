// Finds the last tensors of a model, and measures their SQNR in edited compressed models.
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

// Returns the positions in `tensors` of the last tensors, in ascending order. No other tensor of
// the list is computed from a last tensor.
std::vector<std::size_t> FindHeads(const model::ModelGraph& model,
                                   std::span<const model::TensorId> tensors);

// Runs the compressed model with different edits and compares its outputs with those of the
// baseline. Needs memory for one sample and for up to 256 MiB of the baseline's outputs; the
// baseline runs again for all other samples.
class HeadRunner {
 public:
  // Opens the models and the samples. Borrows `variant`. Fails if ModelCapture or OpenSamples fail.
  static Result<HeadRunner> Open(const model::ModelGraph& baseline,
                                 const model::ModelGraph& variant, std::vector<OutputPlan> ends,
                                 const CompareOptions& options, std::size_t samples);

  std::size_t samples() const { return samples_->size(); }

  // Returns the SQNR in dB of each output of the model with the given edits. Calls `progress` with
  // the number of finished samples; returns nullopt if `progress` returned false.
  Result<std::optional<std::vector<double>>> Measure(
      runtime::GraphEdits edits,
      const std::function<bool(std::size_t done, std::size_t total)>& progress);

 private:
  // The baseline's values of one measured output, for one sample.
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
  std::vector<std::vector<CapturedOutput>> captured_;  // By sample, then by output.
  std::size_t kept_bytes_ = 0;
};

}  // namespace cboard::compare
