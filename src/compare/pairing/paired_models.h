// The pairs of layers of two models, and the nodes that were folded into the layers.
#pragma once

#include <unordered_set>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/model/model_graph.h"
#include "compare/layers/affine_steps.h"
#include "compare/layers/model_layers.h"
#include "compare/pairing/layer_pairing.h"

namespace cboard::compare {

// Two models and their pairs of layers. Borrows both models.
struct PairedModels {
  const model::ModelGraph& baseline;
  const model::ModelGraph& variant;
  std::vector<ModelLayer> ours, theirs;  // Layers with weights, of the baseline and of the variant.
  LayerPairing pairing;
  std::vector<FoldedSteps> folded;   // This and the next vector: one entry per pair.
  std::vector<Equalized> equalized;  // Empty before PairEqualizedModels.
  // Nodes of each model that were folded into a layer of the other model. Their factors are part of
  // that layer.
  std::unordered_set<model::NodeId> baseline_folded, variant_folded;

  std::size_t size() const { return pairing.pairs.size(); }
  // Return the two layers of a pair, with the layout that the pair requires.
  ModelLayer Before(std::size_t pair) const;
  ModelLayer After(std::size_t pair) const;
  // Returns the factors of a pair; borrows from this object. Fails if weights cannot be read.
  Result<Folding> FoldingOf(std::size_t pair) const;
};

// Pairs all layers of two models. A pair ends behind the nodes (steps) that both models have. Fails
// if weights cannot be read, and with kInvalidArgument if no layer has a partner.
Result<PairedModels> PairModels(const model::ModelGraph& baseline,
                                const model::ModelGraph& variant);

}  // namespace cboard::compare
