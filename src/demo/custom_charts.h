// The charts that belong together, laid out for the page of custom scalars.
#pragma once

#include <filesystem>

#include "cboard/base/result.h"

namespace cboard::demo {

// Of all trainings and of the hardware, in a run of its own: a layout is about every run.
Result<void> LogCustomCharts(const std::filesystem::path& run);

}  // namespace cboard::demo
