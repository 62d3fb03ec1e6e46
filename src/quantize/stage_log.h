// Logs the stages of a quantization as events: graphs with memory by node, statistics, similarity.
#pragma once

#include <filesystem>
#include <optional>

#include "cboard/base/result.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/quantize/model_quantizer.h"

namespace cboard::quantize {

// Writes <directory>/tensorboard_logs in the layout of docs/stages.md: initial_graph,
// after_folding, after_equalization, after_calibration (histograms and channels of activations)
// and, from `comparison`, after_quantization and the similarity of samples.
Result<void> LogStages(const ModelQuantizer& model, const QuantizeReport& report,
                       const std::filesystem::path& directory);

}  // namespace cboard::quantize
