// The importance of an output's channels for the layers that read it.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/model/model_graph.h"
#include "compare/layers/model_layers.h"

namespace cboard::compare {

// True for operators whose output channels come from the same input channel, at about the same
// size. Flatten and Reshape keep the elements of a channel together.
bool IsChannelwise(std::string_view op_type);

// Borrows the model, of ONNX, and its layers. Safe from many threads.
class ChannelImportance {
 public:
  ChannelImportance(const model::ModelGraph& model, std::span<const ModelLayer> layers);

  // For each of `channels` channels of a tensor, the sum of the squared weights that it is
  // multiplied with next. An error there counts in proportion: a large channel whose weights are
  // small in turn is worth no more than the others. Empty where something else than layers with
  // weights uses the tensor, behind nodes that keep channels apart (activations, pooling, Flatten).
  // Fails when weights cannot be read.
  Result<std::vector<double>> Of(model::TensorId tensor, std::size_t channels) const;

 private:
  const model::ModelGraph& model_;
  TensorUse use_;
  std::unordered_map<model::NodeId, const ModelLayer*> layers_;
};

}  // namespace cboard::compare
