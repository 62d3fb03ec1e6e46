// What to do about a layer, the cheapest that is good enough first.
#pragma once

#include <vector>

#include "cboard/compression/model_comparison.h"

namespace cboard::compare {

// `tried` are quantizers of the layer's weights. Empty for layers that are green.
std::vector<Fix> RankFixes(const LayerComparison& layer, std::vector<Fix> tried,
                           const Thresholds& thresholds);

}  // namespace cboard::compare
