// Nodes behind a layer that scale and shift its channels. Graph optimizers fold them into weights
// and bias before quantization; this file finds out whether that happened.
#pragma once

#include <cstddef>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/model/model_graph.h"
#include "compare/layers/input_layout.h"
#include "compare/layers/model_layers.h"

namespace cboard::compare {

// Channel c of the output is factors[c] * input + offsets[c]. If both are empty, nothing changes.
struct ChannelAffine {
  std::vector<double> factors, offsets;
};

// Whether `node`, which takes the layer's output, can be one of its steps: BatchNormalization as it
// is used for inference, or arithmetic with a constant that has one value, or one for each channel.
bool IsAffine(const model::ModelGraph& model, const ModelLayer& layer,
              const model::ModelNode& node);

// Joins the first `count` steps of a layer; empty for none.
Result<ChannelAffine> JoinSteps(const model::ModelGraph& model, const ModelLayer& layer,
                                std::size_t count);

// The layer's bias, by channel, with what was folded into it: zeros where it has none, or one of
// another shape.
Result<std::vector<double>> FoldedBias(const model::ModelGraph& model, const ModelLayer& layer,
                                       const ChannelAffine& folded);

// Number of steps of one model that are folded into weights and bias of the other one; at most one
// of the two is above 0.
struct FoldedSteps {
  std::size_t baseline = 0, variant = 0;
};

// Chooses the number of folded steps for which the weights of both sides are closest up to a common
// scale, and then scales and biases. Both sides have the same number of channels and elements.
Result<FoldedSteps> FindFolded(const model::ModelGraph& baseline, const ModelLayer& before,
                               const model::ModelGraph& variant, const ModelLayer& after);

// Factors for each channel of either side that make the weights comparable: folded steps and, for
// the baseline, equalization. Computed when needed: for all layers together, they may take more
// memory than the files.
struct Folding {
  ChannelAffine baseline, variant;
  InputFactors inputs;  // For the baseline's weights; borrowed from `Equalized`.

  bool HasFactors() const {
    return !baseline.factors.empty() || !variant.factors.empty() || !inputs.factors.empty();
  }
};
Result<Folding> ReadFolding(const model::ModelGraph& baseline, const ModelLayer& before,
                            const model::ModelGraph& variant, const ModelLayer& after,
                            const FoldedSteps& steps, const Equalized* equalized = nullptr);

}  // namespace cboard::compare
