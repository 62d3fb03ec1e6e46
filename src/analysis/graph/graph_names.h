// Finds the layer of a node from the names that loggers of layers give to nodes.
#pragma once

#include <string>
#include <string_view>

#include "cboard/reader/graph_query.h"

namespace cboard::analysis {

// "Conv2d[conv1]" is conv1, as tensorboardX names modules; other parts of names stay as they are.
std::string_view InsideBrackets(std::string_view part);

// "conv1" of "Net/ConvReLU2d_0/conv1" and of "Output/conv1", as stages are logged; "layer1.0.conv1"
// of "Net/Sequential[layer1]/BasicBlock[0]/Conv2d[conv1]/_convolution". The model's name and the
// operation's are in these names too, and are others after quantization. Empty for all other names.
std::string LayerOf(const reader::GraphNode& node);

// Bit widths from the names of element types, operations and attributes; the other functions are
// public.

// Whether an operation turns real values into codes.
bool IsQuantizeOperation(std::string_view op);

// Returns true for operations that only convert or join values, so that their results for constants
// are known before the graph runs.
bool KeepsValues(std::string_view op);

// Lower case of ASCII letters; other bytes stay.
std::string LowerCase(std::string_view text);

}  // namespace cboard::analysis
