// Nodes that quantize and dequantize, and how a tensor was rounded.
#pragma once

#include "cboard/model/model_graph.h"

namespace cboard::compare {

// How the values of `tensor` were or are to be rounded: its own quantization, or that of the codes
// it was dequantized from; nullptr when there is none.
const model::ModelQuantization* QuantizationOf(const model::ModelGraph& model,
                                               model::TensorId tensor);

bool IsQuantizer(const model::ModelNode& node);    // QuantizeLinear, TFLite's QUANTIZE, …
bool IsDequantizer(const model::ModelNode& node);  // DequantizeLinear, …

}  // namespace cboard::compare
