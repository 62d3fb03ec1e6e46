// The graph of a model at one stage of quantization, in the layout of graphs from the Model
// Compression Toolkit:
//
//   Input/x                                no node feeds it
//   Net/Conv2d_0/conv1                     the graph's name, the op and its number, the node's name
//   Net/Conv2d_0/conv1.weights             how its weights are quantized, as attributes
//   Net/Conv2d_0/conv1.activation          how its output is quantized; what follows reads this
//   Output/fc                              it feeds no node
//
// `Resources` contains the bytes of each node's weights under the same names, so that TensorBoard
// colors the graph by memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::compression {

using StageAttribute = std::variant<std::int64_t, double, bool, std::string>;
using StageAttributes = std::vector<std::pair<std::string, StageAttribute>>;

// Refers to an output of another node of the graph.
struct StageInput {
  std::string node;
  std::int64_t output = 0;
};

struct StageNode {
  std::string name;  // conv1; unique in its graph.
  std::string op;    // Conv2d
  std::vector<StageInput> inputs;
  std::vector<std::vector<std::int64_t>> output_shapes;  // -1 for dynamic sizes, such as the batch.
  StageAttributes attributes;
  StageAttributes weights;     // Attributes of the node <name>.weights; empty: no such node.
  StageAttributes activation;  // Attributes of the node <name>.activation; empty: no such node.

  std::uint64_t float_parameters = 0;  // Stored as float32.
  std::uint64_t quantized_parameters = 0;
  int weight_bits = 32;  // Bits per quantized parameter.
  // Size of the weights, if it is known and the number of parameters is not.
  std::optional<std::uint64_t> weight_bytes = {};
};

struct StageGraph {
  std::string name = "model";
  std::vector<StageNode> nodes;  // Every node comes after its inputs.
};

// Returns weight_bytes if it is set, otherwise float_parameters * 4 + quantized_parameters *
// weight_bits / 8, rounded up to whole bytes.
std::uint64_t WeightBytes(const StageNode& node);

struct EncodedStageGraph {
  std::string graph_def;
  std::string resources;                // A RunMetadata.
  std::vector<std::string> node_names;  // Name of each node of the StageGraph, in its order.
};

// Encodes the graph. Fails with kInvalidArgument if there are no nodes, if a name is empty or used
// twice, if an input does not name an earlier node, or if a bit width is not in 1…64.
Result<EncodedStageGraph> EncodeStageGraph(const StageGraph& graph);

}  // namespace cboard::compression
