#include "compare/pairing/pairing_side.h"

#include <utility>

#include "compare/layers/node_bodies.h"

namespace cboard::compare {

PairingSide::PairingSide(const model::ModelGraph& graph, std::span<const ModelLayer> found)
    : model(graph), layers(found), taken(found.size()) {
  for (const ModelLayer& layer : layers) {
    std::string kind;
    if (layer.node != model::kNoNode) kind = BodiesAround(model, model.node(layer.node));
    if (!kind.empty() || !layer.part.empty()) kind += ":" + std::string(layer.part);
    kinds.push_back(std::move(kind));
  }
}

}  // namespace cboard::compare
