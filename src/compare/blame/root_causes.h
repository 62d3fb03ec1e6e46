// Finds the common causes of the parts that damage the outputs.
#pragma once

#include <optional>
#include <vector>

#include "compare/blame/fix_trials.h"

namespace cboard::compare {

// One cause for all ranges that do not fit the data, if calibration on this data repairs the
// outputs. Measured; nullopt if there are few such ranges.
std::optional<RootCause> FindCalibrationCause(const BlameCase& found, const EndState& as_it_is,
                                              BlameRuns& trials);

// One entry for each cause of the blamed groups, the costliest first.
std::vector<RootCause> FindRootCauses(const BlameCase& found, const BlameFindings& findings);

}  // namespace cboard::compare
