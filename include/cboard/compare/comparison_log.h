// A comparison as events, for the Layers page and for TensorBoard.
#pragma once

#include <filesystem>

#include "cboard/base/result.h"
#include "cboard/compare/model_comparison.h"

namespace cboard::compare {

// Writes the results as events, for the Layers page and for TensorBoard. In `directory` itself
// <model>/layers/<layer>/<what>/<variant>: numbers, and histograms if there are any; in the runs
// "fp32" and VariantName() below it the graphs, bytes by node ("Resources"), errors along depth,
// and, in runs below these, minima, maxima and means whose step is the channel. Where another model
// has runs of these names in `directory`, they are in <directory>/<model>; the model's own, of a
// comparison before, are replaced.
// Verified runs are in `directory`, too. docs/formats/compression-tags.md lists the tags. The
// model is named after the baseline's file. Fails as SummaryWriter and OpenModel do.
Result<void> LogComparison(const ModelComparison& comparison,
                           const std::filesystem::path& directory);

}  // namespace cboard::compare
