// From two sides of a log to their layers, worst first.
#include <utility>

#include "cboard/analysis/layer_ranking.h"

namespace cboard::analysis {

LayerRanking RankSides(const std::shared_ptr<const Snapshot>& snapshot, const LayerSide* baseline,
                       const LayerSide& variant) {
  const Run* const run = snapshot->FindRun(variant.run);
  if (run == nullptr) return {};
  const Run* const baseline_run = baseline != nullptr ? snapshot->FindRun(baseline->run) : nullptr;
  std::vector<LayerTensor> before;
  if (baseline_run != nullptr) before = CollectLayers(*baseline_run, baseline->in_tags);
  Result<LayerFindings> findings = ReadLayerFindings(*run, FindingsOf(variant));
  LayerRanking ranking =
      RankLayers(before, CollectLayers(*run, variant.in_tags), *HistogramsOf(snapshot),
                 CollectLayerMetrics(*run, FindingsOf(variant)),
                 {.findings = findings.value_or(LayerFindings{})});
  if (!findings) ranking.errors.push_back(std::move(findings).error());
  return ranking;
}

}  // namespace cboard::analysis
