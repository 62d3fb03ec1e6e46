#include "cboard/analysis/layer_sides.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/run_owners.h"
#include "cboard/analysis/layers.h"

namespace cboard::analysis {
std::vector<LayerSide> FindLayerSides(const Snapshot& snapshot) {
  const RunOwners owners = FindRunOwners(snapshot);
  std::vector<LayerSide> sides;
  for (const auto& run : snapshot.runs) {
    const RunOwner* const owner = OwnerOf(owners, run->name);
    std::map<std::pair<std::string, std::string>, std::size_t> counts;
    for (const LayerTensor& tensor : CollectLayers(*run)) {
      // In a run of its own a variant may carry tensors of another precision (its scales, or what
      // was left in floating point): they are the run's all the same.
      if (owner != nullptr) {
        ++counts[{owner->model, std::string()}];
      } else {
        ++counts[{tensor.model, tensor.variant}];
      }
    }
    for (auto& [key, count] : counts) {
      LayerSide side{.model = key.first,
                     .variant = key.second,
                     .run = run->name,
                     .variant_in_tags = key.second,
                     .tensor_count = count};
      if (owner != nullptr) side.variant = owner->variant;
      if (!side.variant.empty()) sides.push_back(std::move(side));
    }
  }
  std::ranges::stable_sort(sides, {}, &LayerSide::model);
  return sides;
}

const LayerSide* FindSide(std::span<const LayerSide> sides, std::string_view model,
                          std::string_view variant) {
  const LayerSide* anonymous = nullptr;
  for (const LayerSide& side : sides) {
    if (side.variant != variant) continue;
    if (side.model == model) return &side;
    if (anonymous == nullptr && (model.empty() || side.model.empty())) anonymous = &side;
  }
  return anonymous;
}

}  // namespace cboard::analysis
