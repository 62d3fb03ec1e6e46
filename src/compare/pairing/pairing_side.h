// The layers of one of two models during pairing.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/model/model_graph.h"
#include "compare/layers/model_layers.h"

namespace cboard::compare {

// Borrows the model and its layers.
struct PairingSide {
  PairingSide(const model::ModelGraph& graph, std::span<const ModelLayer> found);

  const model::ModelGraph& model;
  std::span<const ModelLayer> layers;
  std::vector<bool> taken;  // Those that have a partner.
  // The kind of a layer: its weight among those of the node, and its bodies of If, Loop and Scan:
  // "then_branch:W". Layers of different kinds may have the same name and even the same weights.
  std::vector<std::string> kinds;

  // Name of the node, or of weights without a node.
  std::string_view NameAt(std::size_t i) const {
    return layers[i].node == model::kNoNode ? LayerOfWeight(model.tensor(layers[i].weight).name)
                                            : std::string_view(model.node(layers[i].node).name);
  }
  WeightSize SizeAt(std::size_t i) const { return SizeOf(model, layers[i]); }
  // Returns true if the channel dimension of layer i is unknown.
  bool IsUnoriented(std::size_t i) const {
    return layers[i].node == model::kNoNode && model.tensor(layers[i].weight).shape.size() == 2;
  }
};

}  // namespace cboard::compare
