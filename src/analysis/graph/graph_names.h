// Finds the layer of a node from the names that loggers of layers give to nodes.
#pragma once

#include <string>
#include <string_view>

#include "cboard/reader/graph_query.h"

namespace cboard::analysis {

// Returns the module name: conv1 for "Conv2d[conv1]", as tensorboardX names modules. Other names
// are returned unchanged.
std::string_view InsideBrackets(std::string_view part);

// Returns the layer name of a node: "conv1" for "Net/ConvReLU2d_0/conv1" and "Output/conv1", as
// stages are logged; "layer1.0.conv1" for
// "Net/Sequential[layer1]/BasicBlock[0]/Conv2d[conv1]/_convolution". These node names also contain
// the names of model and operator, which change with quantization. Returns an empty text for all
// other names.
std::string LayerOf(const reader::GraphNode& node);

// The following functions find bit widths in the names of element types, operators and attributes.
// Other functions for this are public.

// Returns true if an operator turns real values into integer codes.
bool IsQuantizeOperation(std::string_view op);

// Returns true for operators that only convert or join values, so that their results for constants
// are known before the graph runs.
bool KeepsValues(std::string_view op);

// Converts ASCII letters to lower case; other bytes do not change.
std::string LowerCase(std::string_view text);

}  // namespace cboard::analysis
