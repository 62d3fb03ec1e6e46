// Factors that moved from a layer to those behind it, or from a normalization: equalization before
// quantization (CLE, SmoothQuant, AWQ) multiplies what one of them gives out, channel by channel,
// and divides what the next ones make of it. Neither is damage.
//
// Layers are gone through as they are computed. Where weights are those of the baseline but for a
// factor of each output, these factors are undone in the weights behind, and what is left is looked
// at again: so many of them do not fit by chance.
#pragma once

#include <vector>

#include "cboard/base/result.h"
#include "compare/layers/input_layout.h"
#include "compare/pairing/paired_models.h"

namespace cboard::compare {

// PairModels, with `equalized` filled in. Reads a sample of the weights of each layer, and all
// weights of layers that seem to be equalized.
Result<PairedModels> PairEqualizedModels(const model::ModelGraph& baseline,
                                         const model::ModelGraph& variant);

}  // namespace cboard::compare
