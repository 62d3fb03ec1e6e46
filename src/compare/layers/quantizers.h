// Nodes that quantize and dequantize, and the quantization that rounded a tensor.
#pragma once

#include "cboard/model/model_graph.h"

namespace cboard::compare {

// Returns the quantization that rounded `tensor`: its own quantization, or that of the codes from
// which it was dequantized. null if it was not quantized.
const model::ModelQuantization* QuantizationOf(const model::ModelGraph& model,
                                               model::TensorId tensor);

bool IsQuantizer(const model::ModelNode& node);    // QuantizeLinear, TFLite's QUANTIZE, …
bool IsDequantizer(const model::ModelNode& node);  // DequantizeLinear, …

}  // namespace cboard::compare
