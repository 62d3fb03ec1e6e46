#include "compression/model_comparison/judged_layers.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "compression/model_comparison/diagnosis.h"
#include "compression/model_comparison/error_path.h"
#include "compression/model_comparison/ranked_fixes.h"

namespace cboard::compare {

void AddInputErrors(const ModelGraph& baseline, std::vector<JudgedLayer>& layers) {
  const auto is_measured = [](const JudgedLayer& layer) {
    return layer.output != kNoTensor && layer.comparison.accumulated;
  };
  std::unordered_map<TensorId, double> measured;
  for (const JudgedLayer& layer : layers) {
    if (is_measured(layer)) {
      measured[layer.output] = layer.comparison.accumulated->total.SqnrDb();
    }
  }
  const ErrorPath path(baseline, measured);
  for (JudgedLayer& layer : layers) {
    if (!is_measured(layer) || layer.node == kNoNode) continue;
    const double db = path.WorstInputDb(layer.node);
    if (std::isfinite(db)) layer.comparison.input_sqnr_db = db;
  }
}

void BlameFirstNotFinite(std::vector<JudgedLayer>& layers) {
  JudgedLayer* first = nullptr;
  for (JudgedLayer& layer : layers) {
    const LayerComparison& found = layer.comparison;
    if (!found.accumulated || !DiagnoseNotFinite(Part::kOutput, found.accumulated->total)) continue;
    if (first == nullptr || found.depth < first->comparison.depth) first = &layer;
  }
  if (first == nullptr || first->comparison.diagnosis.cause == Cause::kNotFinite) return;
  LayerComparison& found = first->comparison;
  found.diagnosis = *DiagnoseNotFinite(Part::kOutput, found.accumulated->total);
  found.fixes = RankFixes(found, {}, {}, Thresholds());
}

void SortWorstFirst(std::vector<JudgedLayer>& layers) {
  std::ranges::stable_sort(layers, IsWorse, [](const JudgedLayer& layer) -> const Diagnosis& {
    return layer.comparison.diagnosis;
  });
}

}  // namespace cboard::compare
