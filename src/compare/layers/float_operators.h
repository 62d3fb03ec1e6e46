// Operators on codes, and the operators on floats that compute the same.
#pragma once

#include <optional>

#include "cboard/model/model_graph.h"
#include "compare/layers/model_layers.h"

namespace cboard::compare {

// A matrix product or convolution on floats, of `left` and the weights, that can replace the node
// of `output`.
struct FloatProduct {
  model::TensorId left = model::kNoTensor;
  model::TensorId output = model::kNoTensor;
  // For dynamic quantization: the DynamicQuantizeLinear that rounds `left`, the sums of products of
  // codes, and these sums as floats, which are multiplied by the scales to give `output`.
  model::NodeId dynamic = model::kNoNode;
  model::TensorId sums = model::kNoTensor;
  model::TensorId cast = model::kNoTensor;
};

// For a MatMulNBits, and for a MatMulInteger between a DynamicQuantizeLinear and the scale of the
// product, as dynamic quantization writes it; nullopt for others.
std::optional<FloatProduct> ProductInsteadOf(const model::ModelGraph& model,
                                             const ModelLayer& layer);

// The same for a ConvInteger: a Conv with the same attributes computes `sums` times the scales.
std::optional<FloatProduct> ConvInsteadOf(const model::ModelGraph& model, const ModelLayer& layer);

// Returns true for a DynamicQuantizeLSTM that an LSTM with the same attributes can replace.
bool CanBecomeLstm(const model::ModelGraph& model, const ModelLayer& layer);

// Floats that are not a quantizer's codes; true also when the file does not say what they are.
bool IsFloat(const model::ModelTensor& tensor);

}  // namespace cboard::compare
