// What other quantizers would make of a layer's weights.
#pragma once

#include <vector>

#include "cboard/base/result.h"
#include "cboard/compression/model_comparison.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::compare {

// Quantizers tried on the baseline's weights, [channels, elements], with what they would give.
// `bits` and `is_per_channel` are as the compressed model has them.
Result<std::vector<Fix>> TryFixes(const TensorView& rows, int bits, bool is_per_channel);

}  // namespace cboard::compare
