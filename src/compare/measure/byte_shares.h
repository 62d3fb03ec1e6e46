// Splits the sizes of two files into weights, scales and other data, to explain for example why a
// quantized model is not four times smaller.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cboard/compare/model_comparison.h"
#include "compare/layers/model_layers.h"

namespace cboard::compare {

// Returns shares of the file size, largest first. The shares of each model add up to the size of
// its file; tensors with several readers count once.
std::vector<ByteShare> CompareBytes(const model::ModelGraph& baseline,
                                    const std::vector<ModelLayer>& baseline_layers,
                                    const model::ModelGraph& variant,
                                    const std::vector<ModelLayer>& variant_layers);

}  // namespace cboard::compare
