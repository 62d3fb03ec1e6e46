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
  kFloatIsland,         // Floating-point nodes in the middle of quantized ones.
  kUnfusedPair,         // Rounding and back, where no integer kernel takes the codes.
  kUnequalScales,       // Inputs of an Add or Concat whose steps differ.
  kPerTensorDepthwise,  // One scale for the filters of a depthwise convolution.
  kBiasOverflow,        // A bias that 32-bit codes cannot hold.
  kWeightZeroPoint,     // Signed weights whose zero point is not 0.
  kFloatWeights,        // Weights that are stored as floats, and rounded when the model runs.
  kIntegerConvolution,  // Operators on codes that are slower than those on floats.
};
std::string_view NameOf(LintRule rule);  // "float_island", …

struct LintFinding {
  LintRule rule = LintRule::kFloatIsland;
  std::string node;         // The first one it is about.
  std::string explanation;  // A sentence with its numbers.
  // How much accuracy it may cost, in bits; 0 for findings about speed and size.
  double harm_bits = 0;
};

// Those that may cost accuracy first, by their harm; then by rule and in the order of execution.
// Empty for models that are not quantized. Takes time in proportion to nodes, tensors and biases.
std::vector<LintFinding> LintModel(const model::ModelGraph& model);

}  // namespace cboard::compare
