// Where the bytes of two files are: why a model is not four times smaller.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cboard/compare/model_comparison.h"
#include "compare/layers/model_layers.h"

namespace cboard::compare {

// Largest first. The shares of a side add up to the size of its file; what several nodes use
// counts once.
std::vector<ByteShare> CompareBytes(const model::ModelGraph& baseline,
                                    const std::vector<ModelLayer>& baseline_layers,
                                    const model::ModelGraph& variant,
                                    const std::vector<ModelLayer>& variant_layers);

}  // namespace cboard::compare
