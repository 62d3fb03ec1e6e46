// Logs what compression did to the layers of the network.
#pragma once

#include <filesystem>

#include "cboard/writer/summary_writer.h"
#include "demo/variants.h"

namespace cboard::demo {

// The outputs of a layer for many pictures: [picture][channel][row][column].
std::vector<float> CollectOutputs(const DemoVariant& variant, const Digits& digits,
                                  std::size_t layer);

// For a quantized layer, the codes with their scales; [out channel][input of the kernel].
TensorView WeightsOf(const DemoVariant& variant, std::size_t layer);

// Weights and outputs of every layer as histograms, one per variant, and how far each variant's are
// from the first one's: digits_cnn/layers/<layer>/<what>/<variant>.
Result<void> LogLayers(const DemoVariants& made, const Digits& test, SummaryWriter& writer);

// Logs the stages in which the network became an 8-bit one.

// Below <directory>/tensorboard_logs: a run per stage, as the Model Compression Toolkit has them.
Result<void> LogStages(const DemoVariant& fp32, const DemoVariant& int8, const Digits& test,
                       const std::filesystem::path& directory);

// Logs a search for a quantization that keeps the accuracy: the network, an attempt in which one
// layer is cut short, and one that keeps this layer in floating point.

// Below `directory`: baseline_acc_<a>, tune_1_acc_<a>, tune_2_acc_<a>.
Result<void> LogTuning(const DemoVariants& made, const DigitsSplit& digits,
                       const std::filesystem::path& directory);

}  // namespace cboard::demo
