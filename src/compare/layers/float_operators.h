// Operators on integer codes, and the float operators that can replace them.
#pragma once

#include <optional>

#include "cboard/model/model_graph.h"
#include "compare/layers/model_layers.h"

namespace cboard::compare {

// A float matrix product or convolution of `left` and the weights. It can replace the node that
// computes `output`.
struct FloatProduct {
  model::TensorId left = model::kNoTensor;
  model::TensorId output = model::kNoTensor;
  // The following members are set only for dynamic quantization. They are the DynamicQuantizeLinear
  // that rounds `left`, the integer result, and the integer result as float; the product of the
  // last one and the scales is `output`.
  model::NodeId dynamic = model::kNoNode;
  model::TensorId sums = model::kNoTensor;
  model::TensorId cast = model::kNoTensor;
};

// Returns the float product that can replace a MatMulNBits, or a MatMulInteger with its
// DynamicQuantizeLinear and scales; nullopt for other operators.
std::optional<FloatProduct> ProductInsteadOf(const model::ModelGraph& model,
                                             const ModelLayer& layer);

// Returns the float convolution that can replace a ConvInteger: a Conv with the same attributes
// computes `sums` times the scales. nullopt for other operators.
std::optional<FloatProduct> ConvInsteadOf(const model::ModelGraph& model, const ModelLayer& layer);

// Returns true if the layer is a DynamicQuantizeLSTM that an LSTM with the same attributes can
// replace.
bool CanBecomeLstm(const model::ModelGraph& model, const ModelLayer& layer);

// Returns true if the tensor has floats that are not dequantized codes, or if the file does not
// tell its type.
bool IsFloat(const model::ModelTensor& tensor);

}  // namespace cboard::compare
