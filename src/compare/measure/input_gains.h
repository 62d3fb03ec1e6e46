// Finds constant factors by which each channel of a layer's input is multiplied before the layer.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cboard/base/result.h"
#include "compare/layers/model_layers.h"

namespace cboard::compare {

// Returns the factor of the variant divided by the factor of the baseline, for each channel of a
// tensor. The factors are constants of Mul and Div and scales of a normalization, which SmoothQuant
// changes. The result is 0 for channels whose factor is unknown. Empty if neither model has
// factors, or if the factors are equal.
Result<std::optional<std::vector<double>>> GainsBetween(const model::ModelGraph& baseline,
                                                        model::TensorId before,
                                                        const model::ModelGraph& variant,
                                                        model::TensorId after,
                                                        std::size_t channels);

// Returns `tensor` and the tensors before it in which GainsBetween looks for factors.
std::vector<model::TensorId> TensorsWithGains(const model::ModelGraph& model,
                                              model::TensorId tensor);

}  // namespace cboard::compare
