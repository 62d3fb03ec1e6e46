// Logs how compression has changed the layers of the network.
#pragma once

#include <filesystem>

#include "cboard/writer/summary_writer.h"
#include "demo/variants.h"

namespace cboard::demo {

// Returns the outputs of a layer for many images, as [image][channel][row][column].
std::vector<float> CollectOutputs(const DemoVariant& variant, const Digits& digits,
                                  std::size_t layer);

// Returns the weights of a layer, as [output channel][input of the kernel]. For a quantized layer,
// these are the codes and their scales.
TensorView WeightsOf(const DemoVariant& variant, std::size_t layer);

// Logs the weights and outputs of every layer as histograms, one per variant; and the error of each
// variant compared with the first variant. The tags are digits_cnn/layers/<layer>/<what>/<variant>.
Result<void> LogLayers(const DemoVariants& made, const Digits& test, SummaryWriter& writer);

// Logs the stages of the quantization to 8 bits. Writes one run per stage below
// <directory>/tensorboard_logs, in the layout of the Model Compression Toolkit.
Result<void> LogStages(const DemoVariant& fp32, const DemoVariant& int8, const Digits& test,
                       const std::filesystem::path& directory);

// Logs a tuning: the float network and several trials. In the first trial, the range of one layer
// is too small; in the second trial, this layer stays in float. Writes the directories
// baseline_acc_<a>, tune_1_acc_<a>, tune_2_acc_<a> and so on below `directory`.
Result<void> LogTuning(const DemoVariants& made, const DigitsSplit& digits,
                       const std::filesystem::path& directory);

}  // namespace cboard::demo
