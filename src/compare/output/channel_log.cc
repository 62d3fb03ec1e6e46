#include "compare/output/channel_log.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "cboard/verdict/number_text.h"
#include "cboard/writer/summary_writer.h"
#include "compare/output/log_parts.h"
#include "compare/output/logged_runs.h"

namespace cboard::compare {
namespace {

constexpr std::size_t kMaxHistogramBytes = std::size_t{8}
                                           << 20;  // Limit for each of the two models.

// Returns one statistic of a channel in one of the two models. NaN values are not logged.
using Statistic = double (*)(const tensor::PairStatistics&, bool is_variant);

const tensor::TensorStatistics& SideOf(const tensor::PairStatistics& channel, bool is_variant) {
  return is_variant ? channel.compressed : channel.reference;
}
double MinOf(const tensor::PairStatistics& channel, bool is_variant) {
  return SideOf(channel, is_variant).min;
}
double MaxOf(const tensor::PairStatistics& channel, bool is_variant) {
  return SideOf(channel, is_variant).max;
}
double MeanOf(const tensor::PairStatistics& channel, bool is_variant) {
  const tensor::TensorStatistics& side = SideOf(channel, is_variant);
  return side.sum / static_cast<double>(side.finite_count());
}
// A channel without signal and without error has no SQNR.
double SqnrOf(const tensor::PairStatistics& channel, bool) {
  if (channel.reference.sum_squares == 0 && channel.sum_squared_error == 0) return NAN;
  return std::clamp(channel.SqnrDb(), -verdict::kLoggedExactDb, verdict::kLoggedExactDb);
}

// Tags contain the name of the model, because several models may have layers of the same name.
std::string TagOf(const std::string& model, const LayerComparison& layer, const char* tensor) {
  return model + "/channels/" + TagName(layer.name) + tensor;
}

Result<void> LogStatistic(const ModelComparison& comparison, const std::filesystem::path& run,
                          bool is_variant, Statistic statistic) {
  const std::string model = comparison.baseline.stem().string();
  SummaryWriter writer(run, ReplaceOptions());
  CBOARD_RETURN_IF_ERROR(writer.status());
  for (const LayerComparison& layer : comparison.layers) {
    for (const auto& [part, name] :
         {std::pair(&layer.weight, "/weight"), std::pair(&layer.accumulated, "/output")}) {
      if (!*part) continue;
      const std::string tag = TagOf(model, layer, name);
      bool is_first = true;
      for (std::size_t c = 0; c < (*part)->channels.size(); ++c) {
        const tensor::PairStatistics& channel = (*part)->channels[c];
        if (SideOf(channel, is_variant).finite_count() == 0) continue;
        const double value = statistic(channel, is_variant);
        if (std::isnan(value)) continue;
        writer::ScalarLabels labels;  // Those of a tag's first value count.
        if (std::exchange(is_first, false))
          labels = LabelsOf(LabelOf(model, layer.name, {}, layer.node));
        CBOARD_RETURN_IF_ERROR(writer.AddScalar(tag, value, static_cast<std::int64_t>(c), labels));
      }
    }
  }
  return writer.Close();
}

// Returns the size of the larger of the two histograms.
std::size_t BytesOf(const Histograms& both) {
  return 2 * sizeof(double) *
         std::max(both.baseline.bucket_limits.size(), both.variant.bucket_limits.size());
}

// Layers are sorted by damage, so the layers with the least damage are left out if the size limit
// is reached.
Result<void> LogHistograms(const ModelComparison& comparison, const std::filesystem::path& run,
                           bool is_variant) {
  const std::string model = comparison.baseline.stem().string();
  SummaryWriter writer(run, ReplaceOptions());
  CBOARD_RETURN_IF_ERROR(writer.status());
  std::size_t bytes = 0;
  for (const LayerComparison& layer : comparison.layers) {
    if (layer.diagnosis.level == Level::kGreen) continue;
    for (const auto& [channels, name] : {std::pair(&layer.weight_channels, "/weight"),
                                         std::pair(&layer.output_channels, "/output")}) {
      // Both models get the same channels, even if their histograms have different numbers of bins.
      for (const ChannelHistograms& one : *channels) bytes += BytesOf(one.histograms);
      if (bytes > kMaxHistogramBytes) return writer.Close();
      std::map<std::size_t, const Histograms*> by_channel;  // Steps are logged in their order.
      for (const ChannelHistograms& one : *channels) by_channel[one.channel] = &one.histograms;
      for (const auto& [channel, both] : by_channel) {
        CBOARD_RETURN_IF_ERROR(AddHistogram(
            writer, TagOf(model, layer, name), LabelOf(model, layer.name, {}, layer.node),
            static_cast<std::int64_t>(channel), is_variant ? both->variant : both->baseline));
      }
    }
  }
  return writer.Close();
}

}  // namespace

Result<void> LogChannels(const ModelComparison& comparison, const std::filesystem::path& run,
                         bool is_variant) {
  const std::pair<const char*, Statistic> statistics[] = {
      {"min_per_channel", MinOf}, {"max_per_channel", MaxOf}, {"mean_per_channel", MeanOf}};
  for (const auto& [name, statistic] : statistics) {
    CBOARD_RETURN_IF_ERROR(LogStatistic(comparison, run / name, is_variant, statistic));
  }
  if (is_variant) {
    CBOARD_RETURN_IF_ERROR(LogStatistic(comparison, run / "sqnr_per_channel", true, SqnrOf));
  }
  return LogHistograms(comparison, run / "histogram_per_channel", is_variant);
}

}  // namespace cboard::compare
