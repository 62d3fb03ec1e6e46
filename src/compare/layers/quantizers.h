// Nodes that quantize and dequantize, and how a tensor was rounded.
#pragma once

#include "cboard/model/model_graph.h"

namespace cboard::compare {

// Returns the quantization by which `tensor` was rounded: its own, or that of the codes it was
// dequantized from; null if there is none.
const model::ModelQuantization* QuantizationOf(const model::ModelGraph& model,
                                               model::TensorId tensor);

bool IsQuantizer(const model::ModelNode& node);    // QuantizeLinear, TFLite's QUANTIZE, …
bool IsDequantizer(const model::ModelNode& node);  // DequantizeLinear, …

}  // namespace cboard::compare
