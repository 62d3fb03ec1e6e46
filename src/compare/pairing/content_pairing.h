// Layers that are known by their weights alone.
#pragma once

#include "cboard/base/result.h"
#include "compare/pairing/layer_pairing.h"
#include "compare/pairing/pairing_side.h"

namespace cboard::compare {

// Pairs what is left of layers with the same rows, up to a factor for each: those of the same kind
// first, then also layers in other bodies of If, Loop and Scan, or that are in none any more. Reads
// a few of the weights; fails as ReadRows does.
Result<void> PairByContent(PairingSide& a, PairingSide& b, LayerPairing& pairing);

}  // namespace cboard::compare
