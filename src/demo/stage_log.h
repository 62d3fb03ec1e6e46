// Logs the stages in which the network became an 8-bit one.
#pragma once

#include <filesystem>

#include "demo/variants.h"

namespace cboard::demo {

// Below <directory>/tensorboard_logs: a run per stage, as the Model Compression Toolkit has them.
Result<void> LogStages(const DemoVariant& fp32, const DemoVariant& int8, const Digits& test,
                       const std::filesystem::path& directory);

}  // namespace cboard::demo
