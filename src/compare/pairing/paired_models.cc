#include "compare/pairing/paired_models.h"

#include <algorithm>
#include <string>

#include "base/parallel.h"
#include "cboard/base/strings.h"
#include "compare/layers/unread_weights.h"
#include "compare/pairing/resized_layers.h"

namespace cboard::compare {
namespace {

Error NoPartner(const PairedModels& models) {
  std::string why;
  if (const auto resized = ResizedLayersNote(models)) why += ". " + *resized;
  for (const model::ModelGraph* model : {&models.baseline, &models.variant}) {
    for (const std::string& sentence : UnreadWeights(*model)) {
      why += (why.empty() ? ". " : " ") + sentence;
    }
  }
  if (why.ends_with('.')) why.pop_back();  // Error messages end without a period.
  return {ErrorCode::kInvalidArgument,
          "no layer of " + Quoted(models.baseline.path().string()) + " (" +
              std::to_string(models.ours.size()) + " with weights) has a partner in " +
              Quoted(models.variant.path().string()) + " (" + std::to_string(models.theirs.size()) +
              "); compare two files of one model" + why};
}

// Shortens the layers of a pair, so that both end behind the nodes (steps) that both models have.
// Notes the nodes that were folded into them.
void CutToCommonSteps(std::size_t i, PairedModels& models) {
  ModelLayer& before = models.ours[models.pairing.pairs[i].baseline];
  ModelLayer& after = models.theirs[models.pairing.pairs[i].variant];
  std::size_t a = models.folded[i].baseline, b = models.folded[i].variant;
  for (; a < before.steps.size() && b < after.steps.size(); ++a, ++b) {
    if (models.baseline.node(before.steps[a].node).op_type !=
        models.variant.node(after.steps[b].node).op_type) {
      break;
    }
  }
  for (std::size_t step = 0; step < models.folded[i].baseline; ++step) {
    models.baseline_folded.insert(before.steps[step].node);
  }
  for (std::size_t step = 0; step < models.folded[i].variant; ++step) {
    models.variant_folded.insert(after.steps[step].node);
  }
  CutSteps(models.baseline, a, before);
  CutSteps(models.variant, b, after);
}

}  // namespace

ModelLayer PairedModels::Before(std::size_t pair) const {
  return Read(ours[pairing.pairs[pair].baseline], pairing.pairs[pair].baseline_reading);
}

ModelLayer PairedModels::After(std::size_t pair) const {
  return Read(theirs[pairing.pairs[pair].variant], pairing.pairs[pair].variant_reading);
}

Result<Folding> PairedModels::FoldingOf(std::size_t pair) const {
  return ReadFolding(baseline, Before(pair), variant, After(pair), folded[pair],
                     equalized.empty() ? nullptr : &equalized[pair]);
}

Result<PairedModels> PairModels(const model::ModelGraph& baseline,
                                const model::ModelGraph& variant) {
  PairedModels models{.baseline = baseline,
                      .variant = variant,
                      .ours = FindWeightLayers(baseline),
                      .theirs = FindWeightLayers(variant),
                      .pairing = {},
                      .folded = {},
                      .equalized = {},
                      .baseline_folded = {},
                      .variant_folded = {}};
  CBOARD_ASSIGN_OR_RETURN(models.pairing,
                          PairLayers(baseline, models.ours, variant, models.theirs));
  if (models.size() == 0) return Fail(NoPartner(models));
  models.folded.resize(models.size());
  CBOARD_RETURN_IF_ERROR(ForEachInParallel(
      models.size(),
      [&](std::size_t, std::size_t i) -> Result<void> {
        CBOARD_ASSIGN_OR_RETURN(models.folded[i],
                                FindFolded(baseline, models.Before(i), variant, models.After(i)));
        return {};
      },
      nullptr, ParallelOptions::ForLargeItems()));
  for (std::size_t i = 0; i < models.size(); ++i) CutToCommonSteps(i, models);
  return models;
}

}  // namespace cboard::compare
