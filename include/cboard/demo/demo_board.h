// Writes a log directory for demonstration, with real data on every page. A small network learns to
// read digits, and is quantized and pruned in several ways. All results are measured and logged.
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
  // A function that is called with each line of progress, such as "training, epoch 3 of 25".
  std::function<void(std::string_view)> on_progress;
};

// Writes the demo log in a few seconds. It has these directories below <logdir>: digits (the
// variants, with layers and images), digits_variants/… (predictions and embeddings of each variant,
// and the loss around its weights), digits_training/… (three trainings with custom charts), eval/…
// (a tuning), stages/… (the stages of quantization), and hardware. Fails if the digits cannot be
// read or a log cannot be written.
Result<void> WriteDemoBoard(const DemoOptions& options);

}  // namespace cboard::demo
