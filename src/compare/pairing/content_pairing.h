// Pairs layers by comparing their weights.
#pragma once

#include "cboard/base/result.h"
#include "compare/pairing/layer_pairing.h"
#include "compare/pairing/pairing_side.h"

namespace cboard::compare {

// Pairs the remaining layers whose rows are equal except for a factor per row. Layers in the same
// body (subgraph) of If, Loop and Scan are paired first, then layers in different bodies. Reads
// only a sample of the weights. Fails if ReadRows fails.
Result<void> PairByContent(PairingSide& a, PairingSide& b, LayerPairing& pairing);

}  // namespace cboard::compare
