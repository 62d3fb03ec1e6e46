// Nodes behind a layer that scale and shift its channels. Graph optimizers fold such nodes into
// weights and bias before quantization. The functions below find out whether a node was folded.
#pragma once

#include <cstddef>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/model/model_graph.h"
#include "compare/layers/input_layout.h"
#include "compare/layers/model_layers.h"

namespace cboard::compare {

// A scaling and a shift of each channel: output c is factors[c] * input + offsets[c]. If both
// vectors are empty, nothing changes.
struct ChannelAffine {
  std::vector<double> factors, offsets;
};

// Returns true if `node`, which reads the layer's output, scales and shifts channels: a
// BatchNormalization in inference mode, or arithmetic with a constant that has either a single
// value or one value per channel.
bool IsAffine(const model::ModelGraph& model, const ModelLayer& layer,
              const model::ModelNode& node);

// Combines the first `count` scale-and-shift nodes (steps) behind a layer into one ChannelAffine;
// empty if `count` is 0.
Result<ChannelAffine> JoinSteps(const model::ModelGraph& model, const ModelLayer& layer,
                                std::size_t count);

// Returns the layer's bias after `folded` is applied to it, by channel. If the layer has no bias,
// or if the shape of the bias does not fit, the bias counts as zeros.
Result<std::vector<double>> FoldedBias(const model::ModelGraph& model, const ModelLayer& layer,
                                       const ChannelAffine& folded);

// Number of nodes (steps) of one model that were folded into weights and bias of the other model;
// at most one of the two is above 0.
struct FoldedSteps {
  std::size_t baseline = 0, variant = 0;
};

// Returns the number of folded steps after which the weights of both layers are most similar except
// for a common scale. If several numbers are equally good, scales and biases decide. Both layers
// must have the same number of channels and elements.
Result<FoldedSteps> FindFolded(const model::ModelGraph& baseline, const ModelLayer& before,
                               const model::ModelGraph& variant, const ModelLayer& after);

// Channel factors that make the weights of both models comparable: folded steps of each model and,
// for the baseline, equalization. Computed when needed: for all layers together, they may take more
// memory than the files.
struct Folding {
  ChannelAffine baseline, variant;
  InputFactors inputs;  // For the baseline's weights. Borrowed from `Equalized`.

  bool HasFactors() const {
    return !baseline.factors.empty() || !variant.factors.empty() || !inputs.factors.empty();
  }
};
Result<Folding> ReadFolding(const model::ModelGraph& baseline, const ModelLayer& before,
                            const model::ModelGraph& variant, const ModelLayer& after,
                            const FoldedSteps& steps, const Equalized* equalized = nullptr);

}  // namespace cboard::compare
