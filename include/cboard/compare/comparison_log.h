// Logs a comparison as events, for the Layers page and for TensorBoard.
#pragma once

#include <filesystem>

#include "cboard/base/result.h"
#include "cboard/compare/model_comparison.h"

namespace cboard::compare {

// Writes the results of a comparison as events. `directory` itself gets layer metrics and optional
// histograms (<model>/layers/<layer>/<what>/<variant>) and the verified runs. Below `directory`,
// the runs "fp32" and VariantName() get the graphs, the bytes by node ("Resources") and the errors
// by depth of the layer; their sub-runs get the min, max and mean per channel, whose step is the
// channel. If another model already has runs of these names in `directory`, the new runs are
// written to <directory>/<model>. Runs of an earlier comparison of the same model are replaced.
// docs/formats/compression-tags.md lists the tags. The model is named after the baseline's file.
// Fails like SummaryWriter and OpenModel.
Result<void> LogComparison(const ModelComparison& comparison,
                           const std::filesystem::path& directory);

}  // namespace cboard::compare
