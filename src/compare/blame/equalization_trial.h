// Tries SmoothQuant as a fix in the compressed model.
#pragma once

#include <optional>

#include "compare/blame/fix_trials.h"

namespace cboard::compare {

// Returns SmoothQuant with alpha 0.5: each channel of an activation gets the range that it needs,
// and the weights behind it are multiplied by the inverse factors. nullopt if the cause is not
// outlier channels, or if an activation is not only multiplied by weights.
std::optional<TriedFix> EqualizationTrial(const BlameCase& found, const SwitchBoard& board,
                                          const RootCause& cause);

}  // namespace cboard::compare
