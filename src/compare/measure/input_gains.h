// Finds constant factors by which each channel of a layer's input is multiplied before the layer.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cboard/base/result.h"
#include "compare/pairing/paired_models.h"

namespace cboard::compare {

// Returns the factor of the variant divided by the factor of the baseline, for each channel of
// tensor `before` of the baseline and tensor `after` of the variant. The factors are constants of
// Mul and Div and scales of a normalization, which SmoothQuant changes. Nodes that were folded into
// a layer are part of that layer, so their factors do not count. The result is 0 for channels whose
// factor is unknown. Empty if neither model has factors, or if the factors are equal.
Result<std::optional<std::vector<double>>> GainsBetween(const PairedModels& models,
                                                        model::TensorId before,
                                                        model::TensorId after,
                                                        std::size_t channels);

// Returns `tensor` of the baseline and the tensors before it in which GainsBetween looks for
// factors.
std::vector<model::TensorId> TensorsWithGains(const PairedModels& models, model::TensorId tensor);

}  // namespace cboard::compare
