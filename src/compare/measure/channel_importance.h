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

// Returns true for operators whose output channel c is computed only from input channel c and has
// about the same magnitude. Flatten and Reshape count, because they keep the elements of a channel
// together.
bool IsChannelwise(std::string_view op_type);

// Computes how strongly the next layers weight each channel of a tensor. Borrows the model (ONNX
// only) and its layers. Thread-safe.
class ChannelImportance {
 public:
  ChannelImportance(const model::ModelGraph& model, std::span<const ModelLayer> layers);

  // Returns, for each of `channels` channels of a tensor, the sum of the squared weights that
  // multiply this channel in the next layers. The effect of an error in the channel is proportional
  // to it. So a channel with large values counts no more than others if its weights are small.
  // Activations, pooling, Flatten and other nodes that keep channels apart may be in between. Empty
  // if other nodes than layers with weights read the tensor. Fails if weights cannot be read.
  Result<std::vector<double>> Of(model::TensorId tensor, std::size_t channels) const;

 private:
  const model::ModelGraph& model_;
  TensorUse use_;
  std::unordered_map<model::NodeId, const ModelLayer*> layers_;
};

}  // namespace cboard::compare
