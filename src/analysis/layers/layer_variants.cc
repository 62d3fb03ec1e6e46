#include "cboard/analysis/layer_variants.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/runs/run_path.h"
#include "cboard/analysis/layers.h"
#include "cboard/analysis/parsed_tag.h"
#include "cboard/analysis/stages.h"
#include "cboard/base/strings.h"
#include "cboard/compression/metrics.h"

namespace cboard::analysis {
namespace {

// The layers in the tags of a run.
struct RunLayers {
  std::map<std::pair<std::string, std::string>, std::size_t> tensors;  // By model and variant.
  std::map<std::string, std::set<std::string>> figures;  // Variants with layer metrics, by model.
};

RunLayers LayersOf(const reader::Run& run) {
  RunLayers layers;
  for (const LayerTensor& tensor : CollectLayers(run)) {
    ++layers.tensors[{tensor.model, tensor.variant}];
  }
  for (const reader::Tag& tag : run.tags) {
    if (tag.kind() != reader::TagKind::kScalar) continue;
    const auto figure = ParseLayerTag(tag);
    if (!figure || figure->model.empty() || figure->parameter.empty()) continue;
    layers.figures[figure->model].insert(figure->variant);
  }
  return layers;
}

// Toolkits log a model at several stages of quantization. The quantized model runs only at the
// stage with this name: at other stages whose names contain "quantization", toolkits log statistics
// of the float model.
constexpr std::string_view kQuantizedStage = "after_quantization";

ValueState StateOfStage(std::string_view stage) {
  return stage == kQuantizedStage ? ValueState::kQuantized : ValueState::kFloat;
}

ValueState StateOfTrial(std::string_view variant) {
  return variant == "baseline" ? ValueState::kFloat : ValueState::kQuantized;
}

// Returns kFloat for the names of float variants; any other variant may also be a baseline, so its
// state is unknown.
ValueState StateOfVariant(std::string_view variant) {
  const bool is_float = variant == "fp32" || variant == "float32" || variant == "float";
  return is_float ? ValueState::kFloat : ValueState::kUnknown;
}

// Adds variants of a run with layer metrics and no tensors. The metrics compare with the float
// model. The float model is added under its default name if the run has no other data of it.
void AddVariantsWithFigures(const reader::Run& run,
                            std::set<std::pair<std::string, std::string>>& known,
                            std::vector<VariantLayers>& sides) {
  for (auto [model, names] : run.notes.Get<RunLayers>([&] { return LayersOf(run); }).figures) {
    if (names.size() == 1) names.insert(std::string(compression::kDefaultBaseline));
    for (const std::string& variant : names) {
      if (!known.emplace(ModelKeyOf(model), variant).second) continue;
      sides.push_back({.model = model,
                       .variant = variant,
                       .run = run.name,
                       .in_tags = {.model = model, .variant = variant},
                       .values = StateOfVariant(variant),
                       .has_figures = true});
    }
  }
}

// Returns true if a run has layer metrics of this variant.
bool HasFigures(const reader::Run& run, const std::string& variant) {
  return std::ranges::any_of(run.notes.Get<RunLayers>([&] { return LayersOf(run); }).figures,
                             [&](const auto& figures) { return figures.second.contains(variant); });
}

// Returns the place of a stage in the pipeline; 0 if the run is not a stage.
int StageOrderOf(const VariantLayers& side) {
  const auto stage = compression::DescribeStage(side.variant);
  return stage ? stage->order : 0;
}

// Names the first and the last stage of each pipeline. `sides` must be in the order of the
// pipeline.
void NameEndsOfStages(std::vector<VariantLayers>& sides) {
  std::map<std::string_view, std::pair<VariantLayers*, VariantLayers*>>
      ends;  // By directory of stages.
  for (VariantLayers& side : sides) {
    if (!side.is_stage) continue;
    auto& [first, last] = ends[ParentOf(WithoutDot(side.run))];
    const bool has_values = side.tensor_count > 0;
    if (has_values && side.values == ValueState::kFloat && first == nullptr) first = &side;
    if ((has_values && side.values == ValueState::kQuantized) || side.has_figures) last = &side;
  }
  for (const auto& [directory, sides_of] : ends) {
    const auto& [first, last] = sides_of;
    if (first != nullptr && first != last) first->table_variant = kFloatStages;
    if (last != nullptr) last->table_variant = kQuantizedStages;
  }
}

constexpr std::string_view kWhatToLog =
    "log the outputs of the quantized model as well, at the stage 'after_quantization' "
    "(StageLogger.log_statistics or log_similarity), or compare the model files "
    "(compression-board compare FLOAT QUANTIZED --logdir DIR)";

}  // namespace

std::string_view NameOf(ValueState state) {
  switch (state) {
    case ValueState::kFloat:
      return "float";
    case ValueState::kQuantized:
      return "quantized";
    case ValueState::kUnknown:
      break;
  }
  return "unknown";
}

std::vector<VariantLayers> FindVariantLayers(const reader::Snapshot& snapshot) {
  const RunOwners owners = FindRunOwners(snapshot);
  std::vector<VariantLayers> sides;
  for (const auto& run : snapshot.runs) {
    const RunOwner* const owner = OwnerOf(owners, run->name);
    std::map<std::pair<std::string, std::string>, std::size_t> counts;
    for (const auto& [key, count] :
         run->notes.Get<RunLayers>([&] { return LayersOf(*run); }).tensors) {
      // Assigns other tensors to the variant of a run: a run of one variant may contain tensors of
      // another precision, such as scales or float layers.
      if (owner != nullptr) {
        counts[{owner->model, std::string()}] += count;
      } else {
        counts[key] = count;
      }
    }
    for (const auto& [key, count] : counts) {
      VariantLayers side{.model = key.first,
                         .variant = key.second,
                         .run = run->name,
                         .in_tags = {.model = key.first, .variant = key.second},
                         .tensor_count = count};
      side.values = StateOfVariant(side.variant);
      if (owner != nullptr) {
        side.variant = owner->variant;
        side.in_tags = {};
        side.is_stage = StageOrderOf(side) > 0;
        side.values = side.is_stage ? StateOfStage(side.variant) : StateOfTrial(side.variant);
        side.has_figures = HasFigures(*run, side.variant);
      }
      if (!side.variant.empty()) sides.push_back(std::move(side));
    }
    // Returns true for a stage with metrics, such as similarities, and no histograms.
    if (owner != nullptr && counts.empty() && HasFigures(*run, owner->variant)) {
      sides.push_back({.model = owner->model,
                       .variant = owner->variant,
                       .run = run->name,
                       .is_stage = compression::DescribeStage(owner->variant).has_value(),
                       .has_figures = true});
    }
  }
  std::set<std::pair<std::string, std::string>> known;
  for (const VariantLayers& side : sides) known.emplace(ModelKeyOf(side.model), side.variant);
  for (const auto& run : snapshot.runs) {
    if (OwnerOf(owners, run->name) == nullptr) AddVariantsWithFigures(*run, known, sides);
  }
  std::ranges::stable_sort(sides, {}, StageOrderOf);
  std::ranges::stable_sort(sides, {}, &VariantLayers::model);
  NameEndsOfStages(sides);
  return sides;
}

std::string WhyNotMeasured(const VariantLayers& a, const VariantLayers& b) {
  const bool is_known = a.values != ValueState::kUnknown && b.values != ValueState::kUnknown;
  if (is_known ? a.values != b.values : !a.is_stage && !b.is_stage) return {};
  if (a.values == ValueState::kQuantized && b.values == ValueState::kQuantized) {
    return "not measured: " + Quoted(a.variant) + " and " + Quoted(b.variant) +
           " both hold values from after quantization; compare with the float model";
  }
  return "not measured: " + Quoted(a.variant) + " and " + Quoted(b.variant) +
         " both hold values from before quantization; " + std::string(kWhatToLog);
}

std::string WhyNotMeasured(std::span<const VariantLayers> sides, std::string_view model) {
  const std::string key = ModelKeyOf(model);
  std::vector<const VariantLayers*> own;
  for (const VariantLayers& side : sides) {
    if (ModelKeyOf(side.model) == key) own.push_back(&side);
  }
  for (const VariantLayers* b : own) {
    if (b->has_figures) return {};
    for (const VariantLayers* a : own) {
      if (a != b && WhyNotMeasured(*a, *b).empty()) return {};
    }
  }
  if (own.empty()) return {};
  const bool is_float = std::ranges::all_of(
      own, [](const VariantLayers* side) { return side->values == ValueState::kFloat; });
  return (is_float ? "not measured: only values from before quantization were logged, of "
                   : "not measured: nothing to compare it with was logged, only ") +
         Quoted(own.front()->variant) + "; " + std::string(kWhatToLog);
}

bool IsCalled(const VariantLayers& side, std::string_view variant) {
  return side.variant == variant || (!side.table_variant.empty() && side.table_variant == variant);
}

const VariantLayers* FindSide(std::span<const VariantLayers> sides, std::string_view model,
                              std::string_view variant) {
  const VariantLayers* anonymous = nullptr;
  const std::string key = ModelKeyOf(model);
  for (const VariantLayers& side : sides) {
    if (!IsCalled(side, variant)) continue;
    if (side.model == model || ModelKeyOf(side.model) == key) return &side;
    if (anonymous == nullptr && (model.empty() || side.model.empty())) anonymous = &side;
  }
  return anonymous;
}

std::optional<SidePair> FindSides(std::span<const VariantLayers> sides, std::string_view model,
                                  std::string_view a, std::string_view b) {
  const VariantLayers* const found_a = FindSide(sides, model, a);
  const VariantLayers* const found_b = FindSide(sides, model, b);
  if (found_a == nullptr || found_b == nullptr) return std::nullopt;
  if (!model.empty() || found_a->model.empty() || found_b->model.empty() ||
      ModelKeyOf(found_a->model) == ModelKeyOf(found_b->model)) {
    return SidePair{*found_a, *found_b};
  }
  // Tries all candidates, because the first candidates for `a` and `b` may belong to different
  // models.
  std::map<std::string, std::pair<const VariantLayers*, const VariantLayers*>> by_model;
  for (const VariantLayers& side : sides) {
    const bool is_a = IsCalled(side, a), is_b = IsCalled(side, b);
    if (!is_a && !is_b) continue;
    auto& [with_a, with_b] = by_model[ModelKeyOf(side.model)];
    if (is_a && with_a == nullptr) with_a = &side;
    if (is_b && with_b == nullptr) with_b = &side;
    if (with_a != nullptr && with_b != nullptr) return SidePair{*with_a, *with_b};
  }
  return std::nullopt;
}

LayerFilter FindingsOf(const VariantLayers& side) {
  return {.model = side.in_tags.model, .variant = side.variant};
}

}  // namespace cboard::analysis
