#include "cboard/analysis/channels.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/runs/run_path.h"
#include "cboard/analysis/parsed_tag.h"
#include "cboard/base/strings.h"
#include "cboard/verdict/number_text.h"

namespace cboard::analysis {
namespace {

using Axis = std::vector<std::optional<double>>;

bool IsChannel(std::int64_t step) { return step >= 0 && step < kMaxChannels; }

std::size_t ChannelCount(const std::vector<reader::ScalarPoint>& points) {
  std::int64_t count = 0;
  for (const reader::ScalarPoint& point : points) {
    if (IsChannel(point.step)) count = std::max(count, point.step + 1);
  }
  return static_cast<std::size_t>(count);
}

Axis ToAxis(const std::vector<reader::ScalarPoint>& points, std::size_t count,
            std::size_t& ignored) {
  Axis axis(points.empty() ? 0 : count);
  for (const reader::ScalarPoint& point : points) {
    if (IsChannel(point.step)) {
      axis[static_cast<std::size_t>(point.step)] = point.value;
    } else {
      ++ignored;
    }
  }
  return axis;
}

// Returns the largest magnitude of a channel, from its min and max if they are known.
std::optional<double> MagnitudeOf(const ChannelStatistics& statistics, std::size_t channel) {
  std::optional<double> magnitude;
  for (const Axis* axis : {&statistics.min, &statistics.max}) {
    if (channel >= axis->size() || !(*axis)[channel]) continue;
    const double value = std::abs(*(*axis)[channel]);
    if (std::isnan(value)) continue;
    magnitude = std::max(magnitude.value_or(0), value);
  }
  return magnitude;
}

double MedianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::ranges::max_element(values.begin(), middle)) / 2;
}

void FindOutliers(std::size_t count, ChannelStatistics& statistics) {
  std::vector<OutlierChannel> channels;
  std::vector<double> magnitudes;
  for (std::size_t channel = 0; channel < count; ++channel) {
    const std::optional<double> magnitude = MagnitudeOf(statistics, channel);
    if (!magnitude) continue;
    channels.push_back({.channel = channel, .magnitude = *magnitude});
    magnitudes.push_back(*magnitude);
    if (*magnitude == 0) statistics.dead.push_back(channel);
  }
  if (channels.empty()) return;
  const double median = MedianOf(std::move(magnitudes));
  statistics.median_magnitude = median;
  if (!(median > 0) || !std::isfinite(median)) return;
  double largest = 0;
  for (OutlierChannel& channel : channels) {
    channel.ratio = channel.magnitude / median;
    largest = std::max(largest, channel.ratio);
    if (channel.ratio >= kOutlierRatio) statistics.outliers.push_back(channel);
  }
  statistics.spread = largest;
  std::ranges::stable_sort(statistics.outliers, std::greater<>(), &OutlierChannel::ratio);
}

}  // namespace

ChannelStatistics SummarizeChannels(std::string layer, const ChannelPoints& points) {
  ChannelStatistics statistics{.layer = std::move(layer)};
  const std::size_t count = std::max({ChannelCount(points.min), ChannelCount(points.max),
                                      ChannelCount(points.mean), ChannelCount(points.sqnr)});
  statistics.min = ToAxis(points.min, count, statistics.ignored_points);
  statistics.max = ToAxis(points.max, count, statistics.ignored_points);
  statistics.mean = ToAxis(points.mean, count, statistics.ignored_points);
  statistics.sqnr_db = ToAxis(points.sqnr, count, statistics.ignored_points);
  for (std::optional<double>& db : statistics.sqnr_db) {
    if (db && std::abs(*db) >= verdict::kLoggedExactDb) db = std::copysign(HUGE_VAL, *db);
  }
  FindOutliers(count, statistics);
  return statistics;
}

std::string* StatisticOf(std::string_view directory, Stage& stage) {
  if (directory == "min_per_channel") return &stage.min_per_channel;
  if (directory == "max_per_channel") return &stage.max_per_channel;
  if (directory == "mean_per_channel") return &stage.mean_per_channel;
  if (directory == "sqnr_per_channel") return &stage.sqnr_per_channel;
  if (directory == "histogram_per_channel") return &stage.histogram_per_channel;
  return nullptr;
}

std::vector<Stage> FindChannelVariants(const reader::Snapshot& snapshot) {
  std::map<std::string, Stage> found;  // By run.
  for (const auto& run : snapshot.runs) {
    const std::string_view parent = ParentOf(run->name);
    if (parent == "." || compression::DescribeStage(LastPart(parent))) continue;
    Stage none;
    if (StatisticOf(LastPart(run->name), none) == nullptr) continue;
    Stage& stage = found[std::string(parent)];
    stage.description.name = LastPart(parent);
    stage.run = std::string(parent);
    *StatisticOf(LastPart(run->name), stage) = run->name;
  }
  std::vector<Stage> stages;
  for (auto& [run, stage] : found) stages.push_back(std::move(stage));
  return stages;
}

std::optional<ChannelStatistics> ReadLayerChannels(const reader::Snapshot& snapshot,
                                                   const Stage& stage, std::string_view layer,
                                                   std::string_view tensor,
                                                   std::string_view model) {
  const std::string ending = tensor.empty() ? std::string() : "/" + std::string(tensor);
  const std::string usual = std::string(layer) + ending;
  const std::string key = ModelKeyOf(model);
  const auto is_asked_for = [&](const reader::Tag& tag, reader::TagKind kind) {
    if (tag.kind() != kind) return false;
    const std::string own = ModelOfStored(tag.info->plugin_content);
    return own.empty() || model.empty() || ModelKeyOf(own) == key;
  };
  const auto find = [&](const std::string& name, reader::TagKind kind) -> const reader::Tag* {
    const reader::Run* run = name.empty() ? nullptr : snapshot.FindRun(name);
    if (run == nullptr) return nullptr;
    const reader::Tag* unnamed = run->Find(usual);
    if (unnamed != nullptr && !is_asked_for(*unnamed, kind)) unnamed = nullptr;
    // Compares the stored layer name, because the tag may be longer or have replaced characters.
    for (const reader::Tag& tag : run->tags) {
      if (!tag.name().ends_with(ending) || LayerOfStored(tag.info->plugin_content) != layer) {
        continue;
      }
      if (&tag != unnamed && is_asked_for(tag, kind)) return &tag;
    }
    return unnamed;
  };
  const auto points = [&](const std::string& name) {
    const reader::Tag* const tag = find(name, reader::TagKind::kScalar);
    return tag == nullptr ? std::vector<reader::ScalarPoint>() : tag->scalars.ToPoints();
  };
  const ChannelPoints found{.min = points(stage.min_per_channel),
                            .max = points(stage.max_per_channel),
                            .mean = points(stage.mean_per_channel),
                            .sqnr = points(stage.sqnr_per_channel)};
  const reader::Tag* const histograms =
      find(stage.histogram_per_channel, reader::TagKind::kHistogram);
  if (found.min.empty() && found.max.empty() && found.mean.empty() && found.sqnr.empty() &&
      histograms == nullptr) {
    return std::nullopt;
  }
  ChannelStatistics statistics = SummarizeChannels(std::string(layer), found);
  if (histograms != nullptr) {
    statistics.histograms.emplace(stage.histogram_per_channel, histograms->name());
    std::vector<std::int64_t>& channels = statistics.histograms->channels;
    histograms->blobs.ForEach(
        [&](const reader::BlobEntry& entry) { channels.push_back(entry.step); });
    std::ranges::sort(channels);
    const auto repeated = std::ranges::unique(channels);
    channels.erase(repeated.begin(), repeated.end());
  }
  return statistics;
}

std::vector<ChannelStatistics> ReadChannels(const reader::Snapshot& snapshot, const Stage& stage) {
  std::map<std::string, ChannelPoints> layers;
  const auto read = [&](const std::string& name,
                        std::vector<reader::ScalarPoint> ChannelPoints::*axis) {
    const reader::Run* run = name.empty() ? nullptr : snapshot.FindRun(name);
    if (run == nullptr) return;
    for (const reader::Tag& tag : run->tags) {
      if (tag.kind() != reader::TagKind::kScalar) continue;
      const std::string own = LayerOfStored(tag.info->plugin_content);
      layers[own.empty() ? tag.name() : own].*axis = tag.scalars.ToPoints();
    }
  };
  read(stage.min_per_channel, &ChannelPoints::min);
  read(stage.max_per_channel, &ChannelPoints::max);
  read(stage.mean_per_channel, &ChannelPoints::mean);
  std::vector<ChannelStatistics> statistics;
  statistics.reserve(layers.size());
  for (const auto& [layer, points] : layers) statistics.push_back(SummarizeChannels(layer, points));
  return statistics;
}

std::string DescribeOutliers(const ChannelStatistics& statistics) {
  if (statistics.outliers.empty()) return {};
  const OutlierChannel& worst = statistics.outliers.front();
  std::string text = "channel " + std::to_string(worst.channel) + " reaches " +
                     verdict::ShortNumber(worst.magnitude) + ", " +
                     verdict::ShortNumber(worst.ratio) + " times the median channel (" +
                     verdict::ShortNumber(*statistics.median_magnitude) + ")";
  if (statistics.outliers.size() > 1) {
    text += "; " + HumanCount(statistics.outliers.size() - 1) + " more reach " +
            verdict::ShortNumber(kOutlierRatio) + " times it";
  }
  return text;
}

}  // namespace cboard::analysis
