// What the rules of model_lint.h share.
#pragma once

#include <vector>

#include "cboard/compression/model_lint.h"
#include "cboard/model/model_graph.h"

namespace cboard::compare {

// How the values of `tensor` were or are to be rounded: its own quantization, or that of the codes
// it was dequantized from; nullptr when there is none.
const ModelQuantization* QuantizationOf(const ModelGraph& model, TensorId tensor);

bool IsQuantizer(const ModelNode& node);    // QuantizeLinear, TFLite's QUANTIZE, …
bool IsDequantizer(const ModelNode& node);  // DequantizeLinear, …

// kFloatIsland and kUnfusedPair: about who computes in integers.
void LintIslands(const ModelGraph& model, std::vector<LintFinding>& findings);

// The other rules, about scales.
void LintScales(const ModelGraph& model, std::vector<LintFinding>& findings);

}  // namespace cboard::compare
