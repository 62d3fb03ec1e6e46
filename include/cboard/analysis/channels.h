// Statistics per channel: scalars whose step is a channel, not a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/analysis/stages.h"
#include "cboard/reader/snapshot.h"

namespace cboard::analysis {

// A channel is an outlier when its largest magnitude is at least this many times the median
// channel's: then a range shared by all channels leaves the median channel less than 32 of 256
// codes.
inline constexpr double kOutlierRatio = 8;

// More channels than this are damage: no tensor has them, and memory follows the largest step.
inline constexpr std::int64_t kMaxChannels = 1 << 20;

struct OutlierChannel {
  std::size_t channel = 0;
  double magnitude = 0;  // max(|min|, |max|)
  double ratio = 0;      // To the median channel.

  friend bool operator==(const OutlierChannel&, const OutlierChannel&) = default;
};

struct ChannelStatistics {
  std::string layer = {};
  // By channel, all of the same length; what was not logged is nothing.
  std::vector<std::optional<double>> min = {};
  std::vector<std::optional<double>> max = {};
  std::vector<std::optional<double>> mean = {};
  std::size_t ignored_points = 0;  // Steps below 0 or from kMaxChannels on.

  std::optional<double> median_magnitude = {};
  std::optional<double> spread = {};  // The largest magnitude by the median; nothing if that is 0.
  std::vector<OutlierChannel> outliers = {};  // The worst first.
  std::vector<std::size_t> dead = {};         // Channels that are 0 throughout.
};

// The values of one layer, by channel; a channel that was logged twice has its last value. Each
// series may be empty.
struct ChannelPoints {
  std::vector<reader::ScalarPoint> min = {};
  std::vector<reader::ScalarPoint> max = {};
  std::vector<reader::ScalarPoint> mean = {};
};
ChannelStatistics SummarizeChannels(std::string layer, const ChannelPoints& points);

// Variants whose directory holds statistics per channel without being a stage, as a comparison of
// two models logs them: fp32/min_per_channel, int8/min_per_channel. Called like the
// directory, by a name that lives as long as the snapshot.
std::vector<Stage> FindChannelVariants(const reader::Snapshot& snapshot);

// Reads the channels of one tensor of a layer ("weight" or "output") in such a variant, or of a
// layer's output in a stage, where `tensor` is empty. `model` restricts the search to tags of that
// model or of no model: two models may have a layer of the same name. Returns nullopt if there are
// none.
std::optional<ChannelStatistics> ReadLayerChannels(const reader::Snapshot& snapshot,
                                                   const Stage& stage, std::string_view layer,
                                                   std::string_view tensor = {},
                                                   std::string_view model = {});

// All layers of a stage that have statistics per channel, by name.
std::vector<ChannelStatistics> ReadChannels(const reader::Snapshot& snapshot, const Stage& stage);

// "channel 17 reaches 12.5, 41 times the median channel (0.3)"; empty without outliers.
std::string DescribeOutliers(const ChannelStatistics& statistics);

}  // namespace cboard::analysis
