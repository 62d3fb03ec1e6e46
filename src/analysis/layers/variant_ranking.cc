// Ranks the layers of two variants or stages of a log, worst first.
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "analysis/layers/graph_places.h"
#include "analysis/runs/run_path.h"
#include "cboard/analysis/layer_ranking.h"
#include "cboard/analysis/variant_config.h"

namespace cboard::analysis {
namespace {

// Reads the channel statistics of the runs beside `side` at the first call.
ChannelLookup ChannelsOf(const reader::Snapshot& snapshot, const VariantLayers& side) {
  using ByLayer = std::map<std::string, ChannelStatistics, std::less<>>;
  return [&, known = std::optional<ByLayer>()](std::string_view layer) mutable {
    if (!known) {
      known.emplace();
      const std::string below = std::string(WithoutDot(side.run)) + "/";
      for (ChannelStatistics& channels :
           ReadChannels(snapshot, {.min_per_channel = below + "min_per_channel",
                                  .max_per_channel = below + "max_per_channel"})) {
        std::string name = channels.layer;
        known->emplace(std::move(name), std::move(channels));
      }
    }
    const auto found = known->find(layer);
    return found == known->end() ? nullptr : &found->second;
  };
}

// Reads the bit widths of the variant from its hyperparameters.
CodeWidths WidthsOf(const reader::Snapshot& snapshot, const VariantLayers& variant) {
  const Config config = FindConfig(snapshot, variant.model, variant.variant);
  const auto bits = [&](const char* name, int usual) {
    const auto found = config.find(name);
    const double* const number =
        found == config.end() ? nullptr : std::get_if<double>(&found->second);
    return number != nullptr && *number >= 1 && *number <= 64 ? static_cast<int>(*number) : usual;
  };
  const CodeWidths usual;
  return {.weight_bits = bits("weight_bits", usual.weight_bits),
          .activation_bits = bits("activation_bits", usual.activation_bits)};
}

}  // namespace

LayerRanking RankVariants(const std::shared_ptr<const reader::Snapshot>& snapshot,
                          const VariantLayers* baseline, const VariantLayers& variant) {
  const reader::Run* const run = snapshot->FindRun(variant.run);
  if (run == nullptr) return {};
  const reader::Run* const baseline_run =
      baseline != nullptr ? snapshot->FindRun(baseline->run) : nullptr;
  std::vector<LayerTensor> before;
  if (baseline_run != nullptr) before = CollectLayers(*baseline_run, baseline->in_tags);
  Result<LayerFindings> findings = ReadLayerFindings(*run, FindingsOf(variant));
  // If `compare` computed the levels of the layers, they already take the bit width of each layer
  // into account.
  const bool was_checked = findings && !findings->empty();
  std::string not_measured;
  if (baseline != nullptr && baseline->tensor_count > 0 && variant.tensor_count > 0) {
    not_measured = WhyNotMeasured(*baseline, variant);
  }
  LayerRanking ranking = RankLayers(
      before, CollectLayers(*run, variant.in_tags), *HistogramsOf(snapshot),
      CollectLayerMetrics(*run, FindingsOf(variant)),
      {.widths = was_checked ? CodeWidths() : WidthsOf(*snapshot, variant),
       .findings = findings.value_or(LayerFindings{}),
       .channels = baseline_run != nullptr ? ChannelsOf(*snapshot, *baseline) : ChannelLookup(),
       .not_measured = std::move(not_measured),
       .places = PlacesInGraph(*snapshot, baseline, variant)});
  ranking.outputs = ReadOutputsVerdict(*run, FindingsOf(variant));
  if (!findings) ranking.errors.push_back(std::move(findings).error());
  return ranking;
}

}  // namespace cboard::analysis
