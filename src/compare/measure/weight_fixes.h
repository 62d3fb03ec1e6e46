// Predicts the SQNR of other quantizers for a layer's weights.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/tensor/quantizer_trial.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::compare {

// Tries quantizers on the baseline's weights `rows`, [channels, elements], and returns the
// quantizers with their SQNR. `now` is the quantizer of the compressed model. If `may_group` is
// true (for matrices), a channel may have several scales. If `channel_axis` is set (to 0), the SQNR
// of the worst channel is also returned.
Result<std::vector<Fix>> FindWeightFixes(const TensorView& rows, const tensor::Quantizer& now,
                                         bool may_group, std::optional<std::size_t> channel_axis);

}  // namespace cboard::compare
