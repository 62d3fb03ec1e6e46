// Logs what compression did to the layers of the network.
#pragma once

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

}  // namespace cboard::demo
