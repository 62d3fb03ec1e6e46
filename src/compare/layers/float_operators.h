// Operators that take codes, and those that would compute the same of floats.
#pragma once

#include <optional>

#include "cboard/model/model_graph.h"
#include "compare/layers/model_layers.h"

namespace cboard::compare {

// A matrix product or convolution of floats: of `left` and the weights, in place of what gives
// `output`.
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

// Likewise of a ConvInteger: a Conv with the same attributes would give `sums` times the scales.
std::optional<FloatProduct> ConvInsteadOf(const model::ModelGraph& model, const ModelLayer& layer);

// Whether this is a DynamicQuantizeLSTM that an LSTM with the same attributes may stand in for.
bool CanBecomeLstm(const model::ModelGraph& model, const ModelLayer& layer);

// Floats that are not a quantizer's codes; true also when the file does not say what they are.
bool IsFloat(const model::ModelTensor& tensor);

}  // namespace cboard::compare
