// Factors by which a layer's input is multiplied, channel by channel, before the layer.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cboard/base/result.h"
#include "compare/layers/model_layers.h"

namespace cboard::compare {

// How much more each of so many channels of a tensor is multiplied by constants in the variant than
// in the baseline: by a Mul or Div, or by the scales of a normalization, as SmoothQuant divides
// them. Nothing where neither has any, or the same; 0 where it cannot be told.
Result<std::optional<std::vector<double>>> GainsBetween(const model::ModelGraph& baseline,
                                                        model::TensorId before,
                                                        const model::ModelGraph& variant,
                                                        model::TensorId after,
                                                        std::size_t channels);

// The tensors before `tensor`, and itself, up to where such constants are looked for.
std::vector<model::TensorId> TensorsWithGains(const model::ModelGraph& model,
                                              model::TensorId tensor);

}  // namespace cboard::compare
