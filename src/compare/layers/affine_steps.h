// Nodes behind a layer that scale and shift its channels, and whether they became part of its
// weights and bias in another file of the model: optimizers of graphs fold them before
// quantization.
#pragma once

#include <cstddef>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/model/model_graph.h"
#include "compare/layers/input_layout.h"
#include "compare/layers/model_layers.h"

namespace cboard::compare {

// Channel c of the output is factors[c] * input + offsets[c]. Both empty: nothing happens to it.
struct ChannelAffine {
  std::vector<double> factors, offsets;
};

// Whether `node`, which takes the layer's output, can be one of its steps: BatchNormalization as it
// is used for inference, or arithmetic with a constant that has one value, or one for each channel.
bool IsAffine(const model::ModelGraph& model, const ModelLayer& layer,
              const model::ModelNode& node);

// The first `count` steps of a layer as one; empty for none of them.
Result<ChannelAffine> JoinSteps(const model::ModelGraph& model, const ModelLayer& layer,
                                std::size_t count);

// The layer's bias, by channel, with what was folded into it: zeros where it has none, or one of
// another shape.
Result<std::vector<double>> FoldedBias(const model::ModelGraph& model, const ModelLayer& layer,
                                       const ChannelAffine& folded);

// How many steps of one model are in the weights and the bias of the other; of one of the two, at
// most.
struct FoldedSteps {
  std::size_t baseline = 0, variant = 0;
};

// The steps with which weights of the two sides are nearest to each other, but for one scale, and
// then scales and biases. Weights have as many channels and elements on both sides.
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
