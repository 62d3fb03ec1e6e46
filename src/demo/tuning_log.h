// Logs a search for a quantization that keeps the accuracy: the network, an attempt in which one
// layer is cut short, and one that keeps this layer in floating point.
#pragma once

#include <filesystem>

#include "demo/variants.h"

namespace cboard::demo {

// Below `directory`: baseline_acc_<a>, tune_1_acc_<a>, tune_2_acc_<a>.
Result<void> LogTuning(const DemoVariants& made, const DigitsSplit& digits,
                       const std::filesystem::path& directory);

}  // namespace cboard::demo
