// Limits the integers of random inputs, such as token ids.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "quantize/graph/graph.h"

namespace cboard::quantize {

// Returns for each input that is used as an index the number of rows of the smallest constant table
// that it indexes.
std::map<std::string, std::int64_t> IndexLimits(const Graph& graph);

}  // namespace cboard::quantize
