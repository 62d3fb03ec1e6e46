// Which nodes compute in integers, and which tensors therefore get QuantizeLinear and
// DequantizeLinear.
//
// Conv, Gemm and MatMul with constant weights are quantized. Operators between them stay in
// integers where ONNX Runtime has an integer kernel, all inputs are integers already, and a
// quantized operator takes the output. Everything else stays float: attention masks,
// LayerNormalization, Softmax, GELU and the heads of detectors are therefore never rounded.
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
  kWeightOnly,   // Its weight is stored in 8 bits; it computes in float.
  kTable,        // A Gather of rows of a constant: they are stored in 8 bits.
  kElementwise,  // An integer kernel with its own output scale: Add, Mul, Concat, …
  kMove,         // Moves values; output and input share a scale: Reshape, MaxPool, …
  kFused,        // Relu or Clip that becomes part of the quantizer behind it.
};

struct PlacedNode {
  NodeRole role = NodeRole::kFloat;
  std::string reason;  // Why a node with weights, or one with an integer kernel, stays float.
};

struct PlacedTensor {
  std::string shares;            // See ActivationPlan::shares.
  std::size_t channel_axis = 1;  // Channel axis of its statistics.
};

struct Placement {
  std::vector<PlacedNode> nodes;                // As many as the graph has.
  std::map<std::string, PlacedTensor> tensors;  // Activations that are quantized.
};

Placement PlaceQuantizers(const Graph& graph, const QuantizeOptions& options);

// Whether the pattern, with * and ?, matches the whole text.
bool MatchesPattern(std::string_view pattern, std::string_view text);

// The index of the input that is a constant weight of a compute node; nothing for other nodes.
std::optional<std::size_t> WeightInput(const Graph& graph, const Node& node);

}  // namespace cboard::quantize
