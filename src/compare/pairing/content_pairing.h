// Pairs layers by their weights.
#pragma once

#include "cboard/base/result.h"
#include "compare/pairing/layer_pairing.h"
#include "compare/pairing/pairing_side.h"

namespace cboard::compare {

// Pairs the remaining layers whose rows are equal up to a factor for each row: those of the same
// kind first, then layers in different bodies of If, Loop and Scan. Reads a sample of the weights;
// fails as ReadRows does.
Result<void> PairByContent(PairingSide& a, PairingSide& b, LayerPairing& pairing);

}  // namespace cboard::compare
