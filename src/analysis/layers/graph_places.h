// Sorts layers by their place in the model's graph, for toolkits that log layers from the output to
// the input, or by name.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "cboard/analysis/layer_variants.h"
#include "cboard/reader/snapshot.h"

namespace cboard::analysis {

// Returns the place of each layer in the order of computation, under all names of its nodes. Uses
// the graph of the baseline or of the variant, or of a stage in the same directory. Empty if no
// graph can be read. Reads files and caches the result with the run.
std::map<std::string, std::size_t, std::less<>> PlacesInGraph(const reader::Snapshot& snapshot,
                                                              const VariantLayers* baseline,
                                                              const VariantLayers& variant);

}  // namespace cboard::analysis
