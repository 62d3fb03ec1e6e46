#include "compare/verify/restorable_parts.h"

#include <algorithm>

namespace cboard::compare {

bool RestorableParts::CanRestore(const LayerPart& part) const {
  const RestorableLayer& layer = layers_[part.layer];
  if (part.part == Part::kWeight) return layer.weights.has_value();
  return layer.output && CanRestoreOutput(*layer.output);
}

std::vector<LayerPart> RestorableParts::All() const {
  std::vector<LayerPart> parts;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    for (const Part part : {Part::kWeight, Part::kOutput}) {
      if (CanRestore({i, part})) parts.push_back({i, part});
    }
  }
  std::ranges::stable_sort(
      parts, {}, [&](const LayerPart& each) { return comparison_.layers[each.layer].depth; });
  return parts;
}

std::vector<LayerPart> RestorableParts::PartsToVerify(std::size_t most) const {
  std::vector<LayerPart> suspects;
  const auto add = [&](std::size_t layer, Part part) {
    if (CanRestore({layer, part})) suspects.push_back({layer, part});
  };
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Diagnosis& diagnosis = comparison_.layers[i].diagnosis;
    if (diagnosis.level == Level::kGreen || suspects.size() >= most) break;
    const bool is_output_first = diagnosis.part == Part::kOutput;
    if (is_output_first) add(i, Part::kOutput);
    if (layers_[i].has_damaged_weights) add(i, Part::kWeight);
    if (layers_[i].has_damaged_output && !is_output_first) add(i, Part::kOutput);
  }
  suspects.resize(std::min(suspects.size(), most));
  for (const LayerComparison* layer : LargestLosses(comparison_)) {
    const auto position = static_cast<std::size_t>(layer - comparison_.layers.data());
    for (const Part part : {Part::kWeight, Part::kOutput}) {
      if (std::ranges::find(suspects, LayerPart{position, part}) == suspects.end()) {
        add(position, part);
      }
    }
  }
  return suspects;
}

Result<runtime::GraphEdits> RestorableParts::RestoringEdits(
    Restored restored, const std::vector<LayerPart>& parts) const {
  Restoration restoration(baseline_, variant_);
  for (const LayerPart& part : parts) {
    if (restored == Restored::kAllExceptParts) {
      Keep(part, restoration);
    } else {
      CBOARD_RETURN_IF_ERROR(Add(part, restoration));
    }
  }
  const bool is_everything =
      restored == Restored::kEverything || restored == Restored::kAllExceptParts;
  const bool has_weights = is_everything || restored == Restored::kAllWeights;
  const bool has_outputs = is_everything || restored == Restored::kAllOutputs;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Level level = comparison_.layers[i].diagnosis.level;
    const bool is_chosen = (restored == Restored::kRedLayers && level == Level::kRed) ||
                           (restored == Restored::kRedAndAmberLayers && level != Level::kGreen);
    if (is_chosen || has_weights) CBOARD_RETURN_IF_ERROR(Add({i, Part::kWeight}, restoration));
    if (is_chosen || has_outputs) CBOARD_RETURN_IF_ERROR(Add({i, Part::kOutput}, restoration));
  }
  if (has_weights) CBOARD_RETURN_IF_ERROR(restoration.AddOtherConstants());
  if (has_outputs) restoration.AddOtherOutputs();
  return restoration.Take();
}

Result<void> RestorableParts::Add(const LayerPart& part, Restoration& restoration) const {
  if (!CanRestore(part)) return {};
  const RestorableLayer& layer = layers_[part.layer];
  if (part.part == Part::kWeight) return restoration.AddWeights(*layer.weights);
  restoration.AddOutput(*layer.output);
  return {};
}

void RestorableParts::Keep(const LayerPart& part, Restoration& restoration) const {
  const RestorableLayer& layer = layers_[part.layer];
  if (part.part == Part::kWeight) {
    restoration.KeepWeights(*layer.weights);
  } else {
    restoration.KeepOutput(*layer.output);
  }
}

}  // namespace cboard::compare
