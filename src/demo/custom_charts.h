// Defines the charts of the custom scalars page.
#pragma once

#include <filesystem>

#include "cboard/base/result.h"

namespace cboard::demo {

// Logs charts of all trainings and of the hardware in a separate run: a layout applies to every
// run.
Result<void> LogCustomCharts(const std::filesystem::path& run);

}  // namespace cboard::demo
