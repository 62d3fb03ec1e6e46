// The layers of one of the two models while they are paired.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/model/model_graph.h"
#include "compare/layers/model_layers.h"

namespace cboard::compare {

// The layers of a model, and which of them have a partner. Borrows the model and its layers.
struct PairingSide {
  PairingSide(const model::ModelGraph& graph, std::span<const ModelLayer> found);

  const model::ModelGraph& model;
  std::span<const ModelLayer> layers;
  std::vector<bool> taken;  // Layers with a partner.
  // The kind of each layer: its bodies (subgraphs) of If, Loop and Scan, and its weight if the node
  // has several, for example "then_branch:W". Layers of different kinds may have the same name and
  // even the same weights.
  std::vector<std::string> kinds;

  // Returns the name of the node or, without a node, of the weights.
  std::string_view NameAt(std::size_t i) const {
    return layers[i].node == model::kNoNode ? LayerOfWeight(model.tensor(layers[i].weight).name)
                                            : std::string_view(model.node(layers[i].node).name);
  }
  WeightSize SizeAt(std::size_t i) const { return SizeOf(model, layers[i]); }
  // Returns true if it is unknown which dimension of layer i has the channels.
  bool IsUnoriented(std::size_t i) const {
    return layers[i].node == model::kNoNode && model.tensor(layers[i].weight).shape.size() == 2;
  }
};

}  // namespace cboard::compare
