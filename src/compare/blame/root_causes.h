// Finds the common causes of the parts that damage the outputs.
#pragma once

#include <optional>
#include <vector>

#include "compare/blame/fix_trials.h"

namespace cboard::compare {

// Returns one cause for all ranges that do not fit the data, if a run with ranges calibrated on
// this data repairs the outputs. Returns nullopt if only few ranges do not fit.
std::optional<RootCause> FindCalibrationCause(const BlameCase& found, const EndState& as_it_is,
                                              BlameRuns& trials);

// Returns one entry for each cause of the guilty groups, largest error first.
std::vector<RootCause> FindRootCauses(const BlameCase& found, const BlameFindings& findings);

}  // namespace cboard::compare
