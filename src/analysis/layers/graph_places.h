// Where layers are in the graph of their model, for logs whose tags are in another order: toolkits
// log from the output to the input, or by name.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "cboard/analysis/layer_variants.h"
#include "cboard/reader/snapshot.h"

namespace cboard::analysis {

// The place of each layer in the order of computation, by all names that nodes have. From the graph
// of either side, or of the stages beside them; empty when none of them has one that can be read.
// Reads files; what was read is kept with the run.
std::map<std::string, std::size_t, std::less<>> PlacesInGraph(const reader::Snapshot& snapshot,
                                                              const VariantLayers* baseline,
                                                              const VariantLayers& variant);

}  // namespace cboard::analysis
