// Limits of the integers that a model takes.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "quantize/graph/graph.h"

namespace cboard::quantize {

// By input, the rows of the smallest constant table that its values are indices of.
std::map<std::string, std::int64_t> IndexLimits(const Graph& graph);

}  // namespace cboard::quantize
