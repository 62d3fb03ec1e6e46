#include "compare/evaluate/evaluated_layers.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "compare/diagnosis/diagnosis.h"
#include "compare/fixes/ranked_fixes.h"
#include "compare/measure/error_path.h"

namespace cboard::compare {

void AddInputErrors(const model::ModelGraph& baseline, std::vector<EvaluatedLayer>& layers) {
  const auto is_measured = [](const EvaluatedLayer& layer) {
    return layer.output != model::kNoTensor && layer.comparison.accumulated;
  };
  std::unordered_map<model::TensorId, double> measured;
  for (const EvaluatedLayer& layer : layers) {
    if (is_measured(layer)) {
      measured[layer.output] = layer.comparison.accumulated->total.SqnrDb();
    }
  }
  EraseRegained(baseline, measured);
  const ErrorPath path(baseline, measured);
  for (EvaluatedLayer& layer : layers) {
    if (!is_measured(layer) || layer.node == model::kNoNode) continue;
    if (!measured.contains(layer.output)) continue;
    const double db = path.WorstInputDb(layer.node);
    if (std::isfinite(db)) layer.comparison.input_sqnr_db = db;
  }
}

void AttributeNonFiniteToFirstLayer(std::vector<EvaluatedLayer>& layers) {
  EvaluatedLayer* first = nullptr;
  for (EvaluatedLayer& layer : layers) {
    const LayerComparison& found = layer.comparison;
    if (!found.accumulated || !DiagnoseNotFinite(Part::kOutput, found.accumulated->total)) continue;
    if (first == nullptr || found.depth < first->comparison.depth) first = &layer;
  }
  if (first == nullptr || first->comparison.diagnosis.cause == Cause::kNotFinite) return;
  LayerComparison& found = first->comparison;
  found.diagnosis = *DiagnoseNotFinite(Part::kOutput, found.accumulated->total);
  found.fixes = RankFixes(found, {}, {}, Thresholds());
}

void SortWorstFirst(std::vector<EvaluatedLayer>& layers) {
  std::ranges::stable_sort(layers, IsWorse, [](const EvaluatedLayer& layer) -> const Diagnosis& {
    return layer.comparison.diagnosis;
  });
}

}  // namespace cboard::compare
