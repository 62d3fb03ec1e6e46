// Facts about each node of a graph besides its name: bit widths, sizes and measurements.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cboard/reader/graph_query.h"

namespace cboard::analysis {

struct NodeFacts {
  // Bit widths of the node's output and of its largest weight; 0 if unknown. A DequantizeLinear
  // between the weight and the node is skipped.
  std::uint8_t activation_bits = 0;
  std::uint8_t weight_bits = 0;
  // True for weights and other values that exist before the graph runs. Also true if
  // DequantizeLinear or a similar operator computes the value only from such values.
  bool constant = false;
  // True if the file declares the output as float, but every consumer leads to a QuantizeLinear
  // node. Integer kernels then write codes of `activation_bits` directly.
  bool in_codes = false;
  // For an annotation node: the node that it describes. Stage logs write such nodes:
  // "conv1.weights" describes "conv1".
  std::optional<std::uint32_t> annotates = {};
  std::uint64_t weight_bytes = 0;  // Size of all constants that the node uses.
  // Size of the node's outputs; a dynamic batch counts as one sample.
  std::uint64_t output_bytes = 0;
  std::optional<std::int64_t> memory_bytes = {};  // Measured; read from run metadata.
  std::optional<std::int64_t> compute_micros = {};
};

// A graph with the facts and the measured values of its nodes.
struct MeasuredGraph {
  // An edge skips annotation nodes and connects the nodes that they annotate. The device of a node
  // is empty if the log stores an operator or a type there.
  reader::Graph graph = {};
  std::vector<NodeFacts> facts = {};  // One entry per node.
  bool has_memory = false;            // At least one node has memory_bytes above 0.
  bool has_time = false;
};

// Computes the facts of all nodes. `profile` must belong to this graph; it may be null.
MeasuredGraph MeasureGraph(reader::Graph graph, const reader::GraphProfile* profile = nullptr);

// The bit width of an element type, in the spelling of any library: "FLOAT", "DT_QINT8", "int8",
// "i8", "torch.float16". 0 for unknown names.
std::uint8_t BitsOfType(std::string_view name);

// True for operators that work on quantized values: QLinearConv, QuantizedConv2DAndRelu,
// quantized::conv2d, ConvInteger, conv_eightbit_requantize, …
bool IsQuantizedOperation(std::string_view op);

// True for operators that convert quantized values to real values.
bool IsDequantizeOperation(std::string_view op);

}  // namespace cboard::analysis
