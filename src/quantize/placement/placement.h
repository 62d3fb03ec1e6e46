// Decides which nodes compute in integers, and which tensors therefore get QuantizeLinear and
// DequantizeLinear.
//
// Conv, Gemm and MatMul with constant weights are quantized. Operators between them stay in
// integers if ONNX Runtime has an integer kernel, all inputs are already integers, and a quantized
// operator uses the output. Everything else stays float, so attention masks, LayerNormalization,
// Softmax, GELU and the heads of detectors are never rounded.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/quantize/quantize_options.h"
#include "cboard/quantize/statistics.h"
#include "quantize/graph/graph.h"

namespace cboard::quantize {

enum class NodeRole {
  kFloat,
  kCompute,      // Conv, Gemm, MatMul with a constant weight.
  kWeightOnly,   // Weight stored in 8 bits, computation in float.
  kTable,        // A Gather of rows of a constant, which are stored in 8 bits.
  kElementwise,  // An integer kernel with its own output scale: Add, Mul, Concat, …
  kMove,         // Only moves values; output and input share a scale: Reshape, MaxPool, …
  kFused,        // Relu or Clip that becomes part of the following quantizer.
};

struct PlacedNode {
  NodeRole role = NodeRole::kFloat;
  std::string reason;  // The reason why a node with weights or an integer kernel stays float.
};

struct PlacedTensor {
  std::string shares;            // See ActivationPlan::shares.
  std::size_t channel_axis = 1;  // Dimension of the channels in its statistics.
};

struct Placement {
  std::vector<PlacedNode> nodes;                // One per node of the graph.
  std::map<std::string, PlacedTensor> tensors;  // Activations that are quantized.
};

Placement PlaceQuantizers(const Graph& graph, const QuantizeOptions& options);

// Returns true if the pattern, which may contain * and ?, matches the whole text.
bool MatchesPattern(std::string_view pattern, std::string_view text);

// Returns the index of the input that is the constant weight of a compute node; nullopt for other
// nodes.
std::optional<std::size_t> WeightInput(const Graph& graph, const Node& node);

}  // namespace cboard::quantize
