// Defines the charts of the custom scalars page.
#pragma once

#include <filesystem>

#include "cboard/base/result.h"

namespace cboard::demo {

// Logs charts for all trainings and for the hardware. They are in a separate run, because a layout
// applies to all runs.
Result<void> LogCustomCharts(const std::filesystem::path& run);

}  // namespace cboard::demo
