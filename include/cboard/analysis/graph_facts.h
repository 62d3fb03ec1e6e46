// Facts about each node of a graph besides its name: bit widths, sizes and measurements.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cboard/reader/graph_query.h"

namespace cboard::analysis {

struct NodeFacts {
  // Bit widths of the node's output and of its largest weight (also through a DequantizeLinear
  // between the two); 0 if unknown.
  std::uint8_t activation_bits = 0;
  std::uint8_t weight_bits = 0;
  // A weight or another value that is there before the graph runs, or what DequantizeLinear and the
  // like make of one.
  bool constant = false;
  // The file says floats, but all that is done with them ends in QuantizeLinear: kernels for codes
  // give codes at once, of activation_bits.
  bool in_codes = false;
  // A node that says something about another one, "conv1.weights" about "conv1", as stage logs
  // write them.
  std::optional<std::uint32_t> annotates = {};
  std::uint64_t weight_bytes = 0;  // Size of all constants that it uses.
  std::uint64_t output_bytes = 0;  // Size of its outputs; a dynamic batch counts as one sample.
  std::optional<std::int64_t> memory_bytes = {};  // Measured: run metadata.
  std::optional<std::int64_t> compute_micros = {};
};

// A graph, and what was measured at its nodes.
struct MeasuredGraph {
  // Edges that pass notes join the nodes they are about; devices are those that compute.
  reader::Graph graph = {};
  std::vector<NodeFacts> facts = {};  // One per node.
  bool has_memory = false;            // At least one node has memory_bytes above 0.
  bool has_time = false;
};

// `profile` is one of this graph, or none.
MeasuredGraph MeasureGraph(reader::Graph graph, const reader::GraphProfile* profile = nullptr);

// The width of an element type by any name: "FLOAT", "DT_QINT8", "int8", "i8", "torch.float16"; 0
// for others.
std::uint8_t BitsOfType(std::string_view name);

// Whether an operation works on quantized values: QLinearConv, QuantizedConv2DAndRelu,
// quantized::conv2d, ConvInteger, conv_eightbit_requantize, …
bool IsQuantizedOperation(std::string_view op);

// Whether it turns quantized values into real ones.
bool IsDequantizeOperation(std::string_view op);

}  // namespace cboard::analysis
