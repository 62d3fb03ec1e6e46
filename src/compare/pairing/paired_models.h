// Two files of one model: their pairs of layers, and folded steps.
#pragma once

#include <vector>

#include "cboard/base/result.h"
#include "cboard/model/model_graph.h"
#include "compare/layers/affine_steps.h"
#include "compare/layers/model_layers.h"
#include "compare/pairing/layer_pairing.h"

namespace cboard::compare {

// Borrows both models.
struct PairedModels {
  const model::ModelGraph& baseline;
  const model::ModelGraph& variant;
  std::vector<ModelLayer> ours, theirs;  // Layers with weights, of the baseline and of the variant.
  LayerPairing pairing;
  std::vector<FoldedSteps> folded;   // This vector and the next ones: by pair.
  std::vector<Equalized> equalized;  // Empty until folding/equalization.h has looked for them.

  std::size_t size() const { return pairing.pairs.size(); }
  // The two layers of a pair, with the layout of the pair.
  ModelLayer Before(std::size_t pair) const;
  ModelLayer After(std::size_t pair) const;
  // Borrows from this. Fails when weights cannot be read.
  Result<Folding> FoldingOf(std::size_t pair) const;
};

// Pairs all layers; a pair ends behind the steps that both files have. Fails if weights cannot be
// read, and with kInvalidArgument if there is no pair.
Result<PairedModels> PairModels(const model::ModelGraph& baseline,
                                const model::ModelGraph& variant);

}  // namespace cboard::compare
