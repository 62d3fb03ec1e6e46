// Logs the diagnoses of layers as one JSON event, because metrics and histograms do not contain
// them.
#pragma once

#include <string>

#include "cboard/base/result.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/writer/summary_writer.h"

namespace cboard::compare {

// Writes <model>/findings/<variant>: the verdict on the model's outputs, and level, cause and
// explanation of each layer, as JSON. The web page reads it. Fails if SummaryWriter fails.
Result<void> LogFindings(SummaryWriter& writer, const std::string& model,
                         const std::string& variant, const ModelComparison& comparison);

}  // namespace cboard::compare
