// Makes a float graph ready for quantization. The prepared graph computes the same values, up to
// rounding.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cboard/runtime/session.h"
#include "quantize/graph/graph.h"

namespace cboard::quantize {

struct PreparationCounts {
  std::size_t removed_nodes = 0;          // Identity, Dropout and unused nodes.
  std::size_t folded_constants = 0;       // Nodes that computed the same for every sample.
  std::size_t folded_normalizations = 0;  // BatchNormalization that became weights and bias.
  std::size_t folded_factors = 0;         // Mul and Add by constants that became weights and bias.
  std::int64_t upgraded_from_opset = 0;   // 0 if the opset was new enough.
  std::size_t widened_constants = 0;      // They were float16 and are float32.
};

// Runs all passes below in order. Fails with kInvalidArgument when the model is quantized already.
Result<PreparationCounts> PrepareGraph(Graph& graph, const runtime::SessionOptions& session);

// Fails with kInvalidArgument when nodes or constants are quantized already, and names one.
Result<void> CheckIsFloat(const Graph& graph);

// Constant nodes become constants; Identity and Dropout go; a Sum of two inputs becomes an Add.
std::size_t RemoveTrivialNodes(Graph& graph);

// Constants and activations of float16 become float32; inputs and outputs keep their type. Returns
// the number of constants. Leaves graphs with bodies or functions as they are.
std::size_t WidenHalf(Graph& graph);

// Rewrites nodes for opset 13, the first with scales by channel. Fails with kInvalidArgument when a
// node has no known rewriting; the message says how to export the model again.
Result<std::int64_t> UpgradeOpset(Graph& graph);

// Computes nodes without variable inputs once, with ONNX Runtime. Nodes that it cannot compute
// stay.
std::size_t FoldConstants(Graph& graph, const runtime::SessionOptions& session);

// BatchNormalization, and Mul and Add by constants of one value per channel, become part of the
// Conv, ConvTranspose or Gemm before them.
void FoldIntoWeights(Graph& graph, PreparationCounts& counts);

// Replaces every use of the tensor `from` by `to`, also as an output of bodies. The graph's outputs
// keep their names: false if `from` is one, or if a body uses it.
bool ReplaceTensor(Graph& graph, const std::string& from, const std::string& to);

}  // namespace cboard::quantize
