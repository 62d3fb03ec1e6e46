// Reads histograms in the form that TensorBoard's Python loader gives.
#pragma once

#include <cstdint>
#include <vector>

#include "cboard/reader/histogram_query.h"
#include "server/tensorboard/tag_listing.h"

namespace cboard::server::tensorboard {

struct HistogramRow {
  std::int64_t step = 0;
  double wall_time_seconds = 0;
  std::vector<reader::HistogramBin> bins;
};

// Returns at most `limit` steps, evenly spaced. Values that cannot be read as a histogram are left
// out.
Result<std::vector<HistogramRow>> ReadShownHistograms(const reader::Run& run,
                                                      const reader::Tag& tag, std::size_t limit);

inline constexpr std::size_t kHistogramSteps = 51;
inline constexpr std::size_t kDistributionSteps = 501;

}  // namespace cboard::server::tensorboard
