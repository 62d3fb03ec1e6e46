// Factors by which a layer's input is multiplied, channel by channel, before the layer.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cboard/base/result.h"
#include "compare/layers/model_layers.h"

namespace cboard::compare {

// Ratio of the constant factors of each channel of a tensor in the variant to those in the
// baseline: from Mul, Div or the scales of a normalization, as SmoothQuant changes them. Empty if
// neither model has factors or both have the same; 0 for unknown channels.
Result<std::optional<std::vector<double>>> GainsBetween(const model::ModelGraph& baseline,
                                                        model::TensorId before,
                                                        const model::ModelGraph& variant,
                                                        model::TensorId after,
                                                        std::size_t channels);

// `tensor` and the tensors before it, as far as constant factors are searched.
std::vector<model::TensorId> TensorsWithGains(const model::ModelGraph& model,
                                              model::TensorId tensor);

}  // namespace cboard::compare
