// Prepares a float graph for quantization. The prepared graph computes the same values, up to
// rounding.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cboard/runtime/session.h"
#include "quantize/graph/graph.h"

namespace cboard::quantize {

struct PreparationCounts {
  std::size_t removed_nodes = 0;     // Number of Identity, Dropout and unused nodes.
  std::size_t folded_constants = 0;  // Number of nodes whose result was the same for every sample.
  // Number of BatchNormalization nodes that became part of weights and bias.
  std::size_t folded_normalizations = 0;
  // Number of Mul and Add nodes with constants that became part of weights and bias.
  std::size_t folded_factors = 0;
  std::int64_t upgraded_from_opset = 0;  // 0 if the opset was new enough.
  // Number of constants that were converted from float16 to float32.
  std::size_t widened_constants = 0;
};

// Runs all passes below in order. Fails with kInvalidArgument if the model is already quantized.
Result<PreparationCounts> PrepareGraph(Graph& graph, const runtime::SessionOptions& session);

// Fails with kInvalidArgument and the name of a node or constant that is already quantized.
Result<void> CheckIsFloat(const Graph& graph);

// Turns Constant nodes into constants, removes Identity and Dropout, and turns a Sum of two inputs
// into an Add.
std::size_t RemoveTrivialNodes(Graph& graph);

// Converts constants and activations from float16 to float32; inputs and outputs keep their type.
// Returns the number of constants. Does not change graphs with bodies or functions.
std::size_t WidenHalf(Graph& graph);

// Rewrites nodes for opset 13, the first opset with scales per channel. Fails with kInvalidArgument
// if a node has no known replacement; the message says how to export the model again.
Result<std::int64_t> UpgradeOpset(Graph& graph);

// Computes nodes without variable inputs once, with ONNX Runtime. Nodes that it cannot compute are
// kept.
std::size_t FoldConstants(Graph& graph, const runtime::SessionOptions& session);

// Folds BatchNormalization, and Mul and Add with one constant per channel, into the Conv,
// ConvTranspose or Gemm before them.
void FoldIntoWeights(Graph& graph, PreparationCounts& counts);

// Replaces every use of the tensor `from` by `to`, also in outputs of bodies. Returns false if
// `from` is an output of the graph, whose name must not change, or if a body uses it.
bool ReplaceTensor(Graph& graph, const std::string& from, const std::string& to);

}  // namespace cboard::quantize
