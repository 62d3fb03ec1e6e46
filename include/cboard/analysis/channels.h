// Per-channel statistics of layers. They are logged as scalars whose step is the channel index.
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

// Minimum ratio between the largest magnitude of an outlier channel and that of the median channel.
// If all channels share one quantization range, the median channel then has fewer than 32 of 256
// codes.
inline constexpr double kOutlierRatio = 8;

// Maximum number of channels. Steps are channel indices. Larger steps are treated as damage,
// because no tensor has so many channels, and because memory is allocated up to the largest step.
inline constexpr std::int64_t kMaxChannels = 1 << 20;

struct OutlierChannel {
  std::size_t channel = 0;
  double magnitude = 0;  // max(|min|, |max|)
  double ratio = 0;      // magnitude / magnitude of the median channel

  friend bool operator==(const OutlierChannel&, const OutlierChannel&) = default;
};

// Histograms of some channels of one tensor. They are logged under one tag, and the step is the
// channel index.
struct ChannelHistogramTag {
  std::string run = {};
  std::string tag = {};
  std::vector<std::int64_t> channels = {};  // Ascending.
};

struct ChannelStatistics {
  std::string layer = {};
  // Statistics by channel; all vectors have the same length. Values that were not logged are
  // nullopt.
  std::vector<std::optional<double>> min = {};
  std::vector<std::optional<double>> max = {};
  std::vector<std::optional<double>> mean = {};
  // SQNR of each channel in dB: +inf for an exact channel, -inf for a lost channel.
  std::vector<std::optional<double>> sqnr_db = {};
  std::optional<ChannelHistogramTag> histograms = {};
  std::size_t ignored_points = 0;  // Points whose step is below 0 or at least kMaxChannels.

  std::optional<double> median_magnitude = {};
  // Largest magnitude / median magnitude; nullopt if the median is 0.
  std::optional<double> spread = {};
  std::vector<OutlierChannel> outliers = {};  // Worst channel first.
  std::vector<std::size_t> dead = {};         // Channels in which all values are 0.
};

// The logged values of one layer, by channel. If a channel was logged twice, the last value is
// used. Each list may be empty.
struct ChannelPoints {
  std::vector<reader::ScalarPoint> min = {};
  std::vector<reader::ScalarPoint> max = {};
  std::vector<reader::ScalarPoint> mean = {};
  std::vector<reader::ScalarPoint> sqnr = {};
};

// Returns the member of `stage` that stores the run in `directory`, for a directory with one
// statistic per channel such as "min_per_channel"; null for any other name. Such directories are
// next to the directory of a stage or a variant.
std::string* StatisticOf(std::string_view directory, Stage& stage);
ChannelStatistics SummarizeChannels(std::string layer, const ChannelPoints& points);

// Finds variants whose directory holds per-channel statistics although the directory is not a
// stage. Comparisons of two models log such statistics, for example in fp32/min_per_channel and
// int8/min_per_channel. The variant has the name of the directory; the string_view of this name is
// valid as long as the snapshot.
std::vector<Stage> FindChannelVariants(const reader::Snapshot& snapshot);

// Reads the per-channel statistics of one tensor of a layer ("weight" or "output") in a variant, or
// of a layer's output in a stage if `tensor` is empty. `model` restricts the search to tags of that
// model or of no model, because two models may have a layer of the same name. Returns nullopt if
// there are no statistics.
std::optional<ChannelStatistics> ReadLayerChannels(const reader::Snapshot& snapshot,
                                                   const Stage& stage, std::string_view layer,
                                                   std::string_view tensor = {},
                                                   std::string_view model = {});

// Returns all layers of a stage that have per-channel statistics, sorted by name.
std::vector<ChannelStatistics> ReadChannels(const reader::Snapshot& snapshot, const Stage& stage);

// Describes the outlier channels: "channel 17 reaches 12.5, 41 times the median channel (0.3)".
// Empty if there are no outliers.
std::string DescribeOutliers(const ChannelStatistics& statistics);

}  // namespace cboard::analysis
