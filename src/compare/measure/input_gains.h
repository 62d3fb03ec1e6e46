// Finds constant factors by which each channel of a layer's input is multiplied before the layer.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cboard/base/result.h"
#include "compare/pairing/paired_models.h"

namespace cboard::compare {

// Returns the ratio of these factors, variant to baseline, for each channel of tensor `before` of
// the baseline and tensor `after` of the variant. Factors are constants of Mul and Div and the
// scales of a normalization; SmoothQuant changes such factors. Nodes that were folded into a layer
// are part of that layer, so their factors do not count. 0 for unknown channels. Empty if neither
// model has factors, or if the factors are equal.
Result<std::optional<std::vector<double>>> GainsBetween(const PairedModels& models,
                                                        model::TensorId before,
                                                        model::TensorId after,
                                                        std::size_t channels);

// Returns `tensor` of the baseline and the tensors before it in which GainsBetween looks for
// factors.
std::vector<model::TensorId> TensorsWithGains(const PairedModels& models, model::TensorId tensor);

}  // namespace cboard::compare
