// SQNR of other quantizers for a layer's weights.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/tensor/quantizer_trial.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::compare {

// Quantizers tried on the baseline's weights, [channels, elements], with what they would give.
// `now` is the one that the compressed model has; `may_group` says that elements of a channel may
// have several scales, as those of matrices. With a `channel_axis`, which is 0, they say what the
// worst channel would have.
Result<std::vector<Fix>> FindWeightFixes(const TensorView& rows, const tensor::Quantizer& now,
                                         bool may_group, std::optional<std::size_t> channel_axis);

}  // namespace cboard::compare
