// Finds structures in a quantized graph that cost accuracy or speed, without data or a baseline.
//
//   CBOARD_ASSIGN_OR_RETURN(const ModelGraph model, OpenModel("int8.onnx"));
//   for (const compare::LintFinding& finding : compare::LintModel(model)) {
//     finding.node, finding.explanation;
//   }
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cboard/model/model_graph.h"

namespace cboard::compare {

enum class LintRule {
  kFloatIsland,         // Float nodes between quantized ones.
  kUnfusedPair,         // Quantize and dequantize nodes that no integer kernel uses.
  kUnequalScales,       // Inputs of an Add or Concat with different scales.
  kPerTensorDepthwise,  // One scale for all filters of a depthwise convolution.
  kBiasOverflow,        // A bias that exceeds 32-bit codes.
  kWeightZeroPoint,     // Signed weights whose zero point is not 0.
  kFloatWeights,        // Weights that are stored as floats and quantized when the model runs.
  kIntegerConvolution,  // Integer operators that are slower than their float version.
};
std::string_view NameOf(LintRule rule);  // "float_island", …

struct LintFinding {
  LintRule rule = LintRule::kFloatIsland;
  std::string node;         // The first affected node.
  std::string explanation;  // A sentence with the values.
  // Estimated loss of accuracy in bits; 0 for findings about speed and size.
  double harm_bits = 0;
};

// Finds problems in a quantized graph. Findings that may cost accuracy come first, sorted by
// estimated loss. Other findings follow, sorted by rule and then in the order of execution. Empty
// for models that are not quantized. Takes linear time.
std::vector<LintFinding> LintModel(const model::ModelGraph& model);

}  // namespace cboard::compare
