// What other quantizers would make of a layer's weights.
#pragma once

#include <vector>

#include "cboard/base/result.h"
#include "cboard/compression/model_comparison.h"
#include "cboard/tensor/tensor_view.h"
#include "cboard/tensor/what_if.h"

namespace cboard::compare {

// Quantizers tried on the baseline's weights, [channels, elements], with what they would give.
// `now` is the one that the compressed model has; `may_group` says that elements of a channel may
// have several scales, as those of matrices.
Result<std::vector<Fix>> TryFixes(const TensorView& rows, const Quantizer& now, bool may_group);

}  // namespace cboard::compare
