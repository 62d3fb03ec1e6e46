#include "compression/model_comparison/model_runs.h"

#include <utility>

namespace cboard::compare {

Result<ModelRuns> RunModels(const PairedModels& models, const CompareOptions& options) {
  ModelRuns runs;
  runs.pairs.resize(models.size());
  std::vector<OutputPlan> plans;
  std::vector<OutputFindings*> places;  // Where the findings of each plan belong.
  std::vector<SaturationCheck> checks;
  std::vector<std::size_t> checked;  // Pairs that have a check.
  for (std::size_t i = 0; i < models.size(); ++i) {
    const LayerPair& pair = models.pairing.pairs[i];
    const ModelLayer& after = models.theirs[pair.variant];
    runs.pairs[i].plan =
        PlanOutput(models.baseline, models.ours[pair.baseline], models.variant, after);
    if (runs.pairs[i].plan) {
      plans.push_back(*runs.pairs[i].plan);
      places.push_back(&runs.pairs[i].findings);
    }
    if (auto check = SaturationCheck::For(models.variant, after)) {
      checks.push_back(*std::move(check));
      checked.push_back(i);
    }
  }
  for (TensorPair& pair : PairQuantizedTensors(models.baseline, models.variant, models.theirs)) {
    runs.tensors.push_back({.pair = std::move(pair), .findings = {}});
  }
  const bool has_others = !plans.empty() || !checks.empty() || !runs.tensors.empty();
  for (TensorPair& pair : PairBodyOutputs(models.baseline, models.variant, models.ours)) {
    runs.tensors.push_back({.pair = std::move(pair), .findings = {}});
  }
  for (TensorRun& tensor : runs.tensors) {
    plans.push_back(tensor.pair.plan);
    places.push_back(&tensor.findings);
  }
  if (plans.empty() && checks.empty()) {
    runs.why_not = "no layer has an output that can be captured";
    return runs;
  }
  auto compared = CompareOutputs(models.baseline, models.variant, plans, checks, options);
  if (!compared && !has_others && options.data.empty()) {
    runs.why_not = "no layer has an output that can be captured, and " + compared.error().message;
    return runs;
  }
  if (!compared) return Fail(std::move(compared).error());
  runs.samples = *std::move(compared);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    *places[i] = std::move(runs.samples.outputs[i]);
  }
  runs.samples.outputs.clear();
  for (std::size_t i = 0; i < checks.size(); ++i) {
    runs.pairs[checked[i]].saturation = checks[i].Build();
  }
  return runs;
}

}  // namespace cboard::compare
