// A log directory with something true on every page: a small network learns digits, is quantized
// and pruned in several ways, and everything that happens is measured here and logged.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "cboard/base/result.h"

namespace cboard::demo {

struct DemoOptions {
  std::filesystem::path digits;  // scikit-learn's digits.csv.gz
  std::filesystem::path logdir;
  int epochs = 25;  // Epochs of the first training; the others take less.
  std::function<void(std::string_view)> on_progress;  // One line each: "training, epoch 3 of 25".
};

// Takes a few seconds. Writes below <logdir>: digits (the comparison of variants, their layers and
// pictures), digits_variants/… (how each one reads and sees digits, and the loss around its
// weights), digits_training/… (three trainings, and charts laid out over them), eval/… (a tuning),
// stages/…, hardware. Fails when the digits cannot be read or a log cannot be written.
Result<void> WriteDemoBoard(const DemoOptions& options);

}  // namespace cboard::demo
