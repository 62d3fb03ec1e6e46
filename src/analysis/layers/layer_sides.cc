#include "cboard/analysis/layer_sides.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/run_owners.h"
#include "analysis/run_path.h"
#include "cboard/analysis/layers.h"
#include "cboard/analysis/meaning.h"
#include "cboard/analysis/stages.h"
#include "cboard/compression/metrics.h"

namespace cboard::analysis {
namespace {

// What the tags of a run say about layers.
struct RunLayers {
  std::map<std::pair<std::string, std::string>, std::size_t> tensors;  // By model and variant.
  std::map<std::string, std::set<std::string>>
      figures;  // Variants with figures per layer, by model.
};

RunLayers LayersOf(const Run& run) {
  RunLayers layers;
  for (const LayerTensor& tensor : CollectLayers(run)) {
    ++layers.tensors[{tensor.model, tensor.variant}];
  }
  for (const Tag& tag : run.tags) {
    if (tag.kind() != TagKind::kScalar) continue;
    const auto figure = ParseLayerTag(tag);
    if (!figure || figure->model.empty() || figure->parameter.empty()) continue;
    layers.figures[figure->model].insert(figure->variant);
  }
  return layers;
}

// Variants of which a run has figures per layer and no tensors. They compare with the float model;
// where the run has nothing else of that model, it is a side under its usual name.
void AddSidesOfFigures(const Run& run, std::set<std::pair<std::string, std::string>>& known,
                       std::vector<LayerSide>& sides) {
  for (auto [model, names] : run.notes.Get<RunLayers>([&] { return LayersOf(run); }).figures) {
    if (names.size() == 1) names.insert(std::string(kUsualBaseline));
    for (const std::string& variant : names) {
      if (!known.emplace(ModelKeyOf(model), variant).second) continue;
      sides.push_back({.model = model,
                       .variant = variant,
                       .run = run.name,
                       .in_tags = {.model = model, .variant = variant}});
    }
  }
}

// Where in the pipeline a stage is; 0 for what is none.
int StageOrderOf(const LayerSide& side) {
  const auto stage = DescribeStage(side.variant);
  return stage ? stage->order : 0;
}

// `sides` are in the order of the pipeline. A stage alone may be either end, and so is neither.
void NameEndsOfStages(std::vector<LayerSide>& sides) {
  std::map<std::string_view, std::pair<LayerSide*, LayerSide*>> ends;  // By directory of stages.
  for (LayerSide& side : sides) {
    if (StageOrderOf(side) == 0) continue;
    auto& [first, last] = ends[ParentOf(WithoutDot(side.run))];
    if (first == nullptr) first = &side;
    last = &side;
  }
  for (const auto& [directory, sides_of] : ends) {
    const auto& [first, last] = sides_of;
    if (first == last) continue;
    first->table_variant = kFloatStages;
    last->table_variant = kQuantizedStages;
  }
}

}  // namespace

std::vector<LayerSide> FindLayerSides(const Snapshot& snapshot) {
  const RunOwners owners = FindRunOwners(snapshot);
  std::vector<LayerSide> sides;
  for (const auto& run : snapshot.runs) {
    const RunOwner* const owner = OwnerOf(owners, run->name);
    std::map<std::pair<std::string, std::string>, std::size_t> counts;
    for (const auto& [key, count] :
         run->notes.Get<RunLayers>([&] { return LayersOf(*run); }).tensors) {
      // In a run of its own a variant may carry tensors of another precision (its scales, or what
      // was left in floating point): they are the run's all the same.
      if (owner != nullptr) {
        counts[{owner->model, std::string()}] += count;
      } else {
        counts[key] = count;
      }
    }
    for (const auto& [key, count] : counts) {
      LayerSide side{.model = key.first,
                     .variant = key.second,
                     .run = run->name,
                     .in_tags = {.model = key.first, .variant = key.second},
                     .tensor_count = count};
      if (owner != nullptr) {
        side.variant = owner->variant;
        side.in_tags = {};
      }
      if (!side.variant.empty()) sides.push_back(std::move(side));
    }
  }
  std::set<std::pair<std::string, std::string>> known;
  for (const LayerSide& side : sides) known.emplace(ModelKeyOf(side.model), side.variant);
  for (const auto& run : snapshot.runs) {
    if (OwnerOf(owners, run->name) == nullptr) AddSidesOfFigures(*run, known, sides);
  }
  std::ranges::stable_sort(sides, {}, StageOrderOf);
  std::ranges::stable_sort(sides, {}, &LayerSide::model);
  NameEndsOfStages(sides);
  return sides;
}

bool IsCalled(const LayerSide& side, std::string_view variant) {
  return side.variant == variant || (!side.table_variant.empty() && side.table_variant == variant);
}

const LayerSide* FindSide(std::span<const LayerSide> sides, std::string_view model,
                          std::string_view variant) {
  const LayerSide* anonymous = nullptr;
  const std::string key = ModelKeyOf(model);
  for (const LayerSide& side : sides) {
    if (!IsCalled(side, variant)) continue;
    if (side.model == model || ModelKeyOf(side.model) == key) return &side;
    if (anonymous == nullptr && (model.empty() || side.model.empty())) anonymous = &side;
  }
  return anonymous;
}

std::optional<SidePair> FindSides(std::span<const LayerSide> sides, std::string_view model,
                                  std::string_view a, std::string_view b) {
  const LayerSide* const found_a = FindSide(sides, model, a);
  const LayerSide* const found_b = FindSide(sides, model, b);
  if (found_a == nullptr || found_b == nullptr) return std::nullopt;
  if (!model.empty() || found_a->model.empty() || found_b->model.empty() ||
      ModelKeyOf(found_a->model) == ModelKeyOf(found_b->model)) {
    return SidePair{*found_a, *found_b};
  }
  // The first a and the first b are of two models; a third, or one of these, may have both.
  std::map<std::string, std::pair<const LayerSide*, const LayerSide*>> by_model;
  for (const LayerSide& side : sides) {
    const bool is_a = IsCalled(side, a), is_b = IsCalled(side, b);
    if (!is_a && !is_b) continue;
    auto& [with_a, with_b] = by_model[ModelKeyOf(side.model)];
    if (is_a && with_a == nullptr) with_a = &side;
    if (is_b && with_b == nullptr) with_b = &side;
    if (with_a != nullptr && with_b != nullptr) return SidePair{*with_a, *with_b};
  }
  return std::nullopt;
}

LayerFilter FindingsOf(const LayerSide& side) {
  return {.model = side.in_tags.model, .variant = side.variant};
}

}  // namespace cboard::analysis
