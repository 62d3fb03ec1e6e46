// From two sides of a log to their layers, worst first.
#include <utility>

#include "cboard/analysis/layer_ranking.h"

namespace cboard::analysis {
namespace {

// Where tags name variants they may name models too, and a run may hold several.
std::string_view ModelInTags(const LayerSide& side) {
  return side.variant_in_tags.empty() ? std::string_view() : std::string_view(side.model);
}

std::vector<LayerTensor> TensorsOf(const Run& run, const LayerSide& side) {
  std::vector<LayerTensor> tensors = CollectLayers(run, side.variant_in_tags, ModelInTags(side));
  if (side.variant_in_tags.empty()) return tensors;
  std::erase_if(tensors, [&](const LayerTensor& tensor) { return tensor.model != side.model; });
  return tensors;
}

}  // namespace

LayerRanking RankSides(const std::shared_ptr<const Snapshot>& snapshot, const LayerSide* baseline,
                       const LayerSide& variant) {
  const Run* const run = snapshot->FindRun(variant.run);
  if (run == nullptr) return {};
  const Run* const baseline_run = baseline != nullptr ? snapshot->FindRun(baseline->run) : nullptr;
  std::vector<LayerTensor> before;
  if (baseline_run != nullptr) before = TensorsOf(*baseline_run, *baseline);
  Result<LayerFindings> findings = ReadLayerFindings(*run, variant.model, variant.variant);
  LayerRanking ranking =
      RankLayers(before, TensorsOf(*run, variant), *HistogramsOf(snapshot),
                 CollectLayerMetrics(*run, variant.variant, ModelInTags(variant)),
                 {.findings = findings.value_or(LayerFindings{})});
  if (!findings) ranking.errors.push_back(std::move(findings).error());
  return ranking;
}

}  // namespace cboard::analysis
