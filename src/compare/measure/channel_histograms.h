// Histograms of the channels that compression changed most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/tensor/compare.h"
#include "compare/layers/affine_steps.h"
#include "compare/layers/model_layers.h"
#include "compression/tuning/histogram_sum.h"

namespace cboard::compare {

// Returns the channels with the lowest SQNR, the lowest first, at most `most` channels. Exact
// channels and channels with a negligible error are left out.
std::vector<std::size_t> WorstChannels(const tensor::Comparison& comparison, std::size_t most);

// Returns the histograms, in both models, of the worst channels of a layer's weights after folding.
// `comparison` is the comparison of these weights.
Result<std::vector<ChannelHistograms>> WeightChannels(
    const model::ModelGraph& baseline, const ModelLayer& before, const model::ModelGraph& variant,
    const ModelLayer& after, const Folding& folding, const tensor::Comparison& comparison);

// Collects histograms of the worst channels of an output. The first sample determines these
// channels, because the values of a sample cannot be read a second time.
class OutputChannels {
 public:
  // Adds the values of one sample for a tensor with the given shape; `axis` is the channel
  // dimension. `so_far` is the comparison of all samples so far, including this sample.
  Result<void> Add(std::span<const float> reference, std::span<const float> compressed,
                   std::span<const std::int64_t> shape, std::size_t axis,
                   const tensor::ComparisonBuilder& so_far);

  std::vector<ChannelHistograms> Build() const;

 private:
  struct Channel {
    std::size_t index = 0;
    compression::HistogramSum baseline, variant;
  };
  bool is_chosen_ = false;
  std::vector<Channel> channels_;
};

}  // namespace cboard::compare
