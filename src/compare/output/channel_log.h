// Logs the channels of both models as series; the step is the channel.
#pragma once

#include <filesystem>

#include "cboard/base/result.h"
#include "cboard/compare/model_comparison.h"

namespace cboard::compare {

// Logs below `run`, which is that of one of the two models, a run for each statistic:
// min_per_channel, max_per_channel, mean_per_channel; sqnr_per_channel for the variant; and
// histogram_per_channel with the worst channels of damaged layers, for at most 8 MB. Each has a tag
// per tensor, <model>/channels/<layer>/weight or …/output, so that the two models are two curves of
// one chart. Fails as SummaryWriter does.
Result<void> LogChannels(const ModelComparison& comparison, const std::filesystem::path& run,
                         bool is_variant);

}  // namespace cboard::compare
