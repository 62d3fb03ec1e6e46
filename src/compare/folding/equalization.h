// Finds equalization: methods such as CLE, SmoothQuant and AWQ multiply the output channels of a
// layer or normalization by factors, and divide the weights of the next layers by them. The result
// of the model is the same, so these changes are not damage.
//
// Visits layers in the order of execution. If the weights of a layer equal the baseline's except
// for a factor per output, these factors are undone in the weights of the next layers, and the
// remaining difference is compared again. So many factors do not fit by chance.
#pragma once

#include <vector>

#include "cboard/base/result.h"
#include "compare/layers/input_layout.h"
#include "compare/pairing/paired_models.h"

namespace cboard::compare {

// Pairs the layers like PairModels, and sets `equalized`. Reads a sample of the weights of each
// layer, and all weights of layers that may be equalized.
Result<PairedModels> PairEqualizedModels(const model::ModelGraph& baseline,
                                         const model::ModelGraph& variant);

}  // namespace cboard::compare
