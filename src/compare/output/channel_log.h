// Logs the channels of both models as series; the step is the channel.
#pragma once

#include <filesystem>

#include "cboard/base/result.h"
#include "cboard/compare/model_comparison.h"

namespace cboard::compare {

// Logs the statistics of one of the two models below `run`. Each statistic is a run:
// min_per_channel, max_per_channel, mean_per_channel; for the variant also sqnr_per_channel; and
// histogram_per_channel with the worst channels of damaged layers, for at most 8 MB. In each run,
// each tensor has the tag <model>/channels/<layer>/weight or …/output, so that one chart shows both
// models. Fails as SummaryWriter does.
Result<void> LogChannels(const ModelComparison& comparison, const std::filesystem::path& run,
                         bool is_variant);

}  // namespace cboard::compare
