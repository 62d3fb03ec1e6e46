// Tries SmoothQuant as a fix in the compressed model.
#pragma once

#include <optional>

#include "compare/blame/fix_trials.h"

namespace cboard::compare {

// Returns SmoothQuant with alpha 0.5: each channel of an activation is multiplied by a factor, and
// the weights behind the activation by the inverse factors. nullopt if the cause is not outlier
// channels, or if an activation is used by anything else than products with weights.
std::optional<TriedFix> EqualizationTrial(const BlameCase& found, const SwitchBoard& board,
                                          const RootCause& cause);

}  // namespace cboard::compare
