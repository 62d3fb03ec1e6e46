// Finds the variants and layers that a contract covers.
#include <algorithm>
#include <map>
#include <utility>

#include "analysis/runs/run_path.h"
#include "cboard/analysis/gates.h"
#include "cboard/analysis/layer_variants.h"
#include "cboard/analysis/stages.h"

namespace cboard::analysis {
namespace {

using SideSpan = std::span<const VariantLayers>;

// Returns the baseline variant of a model; empty if it has none.
std::string_view FindBaseline(SideSpan sides, std::string_view wanted, std::string_view of_table) {
  const auto called = [&](std::string_view name) -> std::string_view {
    const auto found = std::ranges::find_if(
        sides, [&](const VariantLayers& side) { return !name.empty() && IsCalled(side, name); });
    return found == sides.end() ? std::string_view() : found->variant;
  };
  for (const std::string_view name : {wanted, of_table}) {
    if (const std::string_view variant = called(name); !variant.empty()) return variant;
  }
  for (const std::string_view name : kKnownBaselines) {
    if (const std::string_view variant = called(name); !variant.empty()) return variant;
  }
  return {};
}

// Finds baselines by location: a variant is compared with the baseline in its own run, else with
// one in a sibling run, else with any other.
class Baselines {
 public:
  Baselines(SideSpan sides, std::string_view variant) {
    for (const VariantLayers& side : sides) {
      if (side.variant != variant) continue;
      if (any_ == nullptr) any_ = &side;
      by_run_.emplace(side.run, &side);
      by_parent_.emplace(ParentOf(WithoutDot(side.run)), &side);
    }
  }

  const VariantLayers* For(const VariantLayers& side) const {
    if (const auto same = by_run_.find(side.run); same != by_run_.end()) return same->second;
    const auto beside = by_parent_.find(ParentOf(WithoutDot(side.run)));
    return beside != by_parent_.end() ? beside->second : any_;
  }

 private:
  const VariantLayers* any_ = nullptr;
  std::map<std::string_view, const VariantLayers*> by_run_;
  std::map<std::string_view, const VariantLayers*> by_parent_;
};

// Returns true for stages before the final one: their values belong to the float model.
bool IsOnTheWay(const VariantLayers& side, SideSpan group) {
  return side.is_stage && side.table_variant.empty() &&
         std::ranges::any_of(group, [](const VariantLayers& other) {
           return other.is_stage && other.table_variant == kQuantizedStages;
         });
}

std::string NameOfSide(const VariantLayers& side, bool is_unique) {
  if (side.model.empty()) return side.run;
  return is_unique ? side.model : WithPlace(side.model, side.run);
}

}  // namespace

std::vector<LayerSubject> LayerSubjectsOf(const std::shared_ptr<const reader::Snapshot>& snapshot,
                                          const ComparisonTable& table, std::string_view baseline) {
  const std::vector<VariantLayers> sides = FindVariantLayers(*snapshot);  // By model.
  std::map<std::string, std::string_view> baselines;
  for (const TableModel& model : table.models) {
    baselines.emplace(ModelKeyOf(model.model), model.baseline);
  }
  std::vector<LayerSubject> subjects;
  for (auto first = sides.begin(); first != sides.end();) {
    const auto last = std::find_if(
        first, sides.end(), [&](const VariantLayers& side) { return side.model != first->model; });
    const SideSpan group(first, last);
    const auto of_table = baselines.find(ModelKeyOf(first->model));
    const std::string_view reference = FindBaseline(
        group, baseline, of_table == baselines.end() ? std::string_view() : of_table->second);
    const Baselines references(group, reference);
    std::map<std::string_view, std::size_t> uses;
    for (const VariantLayers& side : group) ++uses[side.variant];
    for (const VariantLayers& side : group) {
      if (side.variant == reference || IsOnTheWay(side, group)) continue;
      const VariantLayers* const against = references.For(side);
      subjects.push_back(
          {.name = NameOfSide(side, uses[side.variant] == 1),
           .model = side.model,
           .variant = side.variant,
           .table_variant = side.table_variant,
           .baseline = std::string(reference),
           .run = side.run,
           .rank = [snapshot, side,
                    against = against != nullptr ? std::optional(*against) : std::nullopt] {
             return RankVariants(snapshot, against ? &*against : nullptr, side);
           }});
    }
    first = last;
  }
  return subjects;
}

}  // namespace cboard::analysis
