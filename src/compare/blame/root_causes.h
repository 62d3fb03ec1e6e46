// From guilty parts to the one or two causes that they have in common.
#pragma once

#include <optional>
#include <vector>

#include "compare/blame/fix_trials.h"

namespace cboard::compare {

// Ranges that do not fit the data, where calibration on such data brings the end back: one cause,
// not one for each layer. Measured, and nothing where there are few such ranges.
std::optional<RootCause> FindCalibrationCause(const BlameCase& found, const EndState& as_it_is,
                                              BlameRuns& trials);

// One entry for each cause of the guilty groups, the costliest first.
std::vector<RootCause> FindRootCauses(const BlameCase& found, const BlameFindings& findings);

}  // namespace cboard::compare
