#include "cboard/analysis/layer_sides.h"

#include <algorithm>
#include <map>
#include <utility>

#include "cboard/analysis/layers.h"
#include "cboard/analysis/stages.h"
#include "cboard/analysis/tuning.h"

namespace cboard::analysis {
namespace {

// Model and variant of the runs whose tags name neither.
struct RunOwner {
  std::string model;
  std::string variant;
};

std::map<std::string, RunOwner, std::less<>> OwnersOf(const Snapshot& snapshot) {
  std::map<std::string, RunOwner, std::less<>> owners;
  for (const TuningTimeline& timeline : FindTuning(snapshot)) {
    for (const Trial& trial : timeline.trials) {
      owners[trial.run] = {timeline.model, VariantOfTrial(trial.number)};
    }
  }
  for (const StageTimeline& timeline : FindStages(snapshot)) {
    for (const Stage& stage : timeline.stages) {
      owners[stage.run] = {timeline.model, std::string(stage.description.name)};
    }
  }
  return owners;
}

// Event files that lie in the directory of --logdir_spec itself are the run "tune_1/.".
std::string_view WithoutDot(std::string_view run) {
  return run.ends_with("/.") ? run.substr(0, run.size() - 2) : run;
}

}  // namespace

std::vector<LayerSide> FindLayerSides(const Snapshot& snapshot) {
  const auto owners = OwnersOf(snapshot);
  std::vector<LayerSide> sides;
  for (const auto& run : snapshot.runs) {
    auto owner = owners.find(run->name);
    if (owner == owners.end()) owner = owners.find(WithoutDot(run->name));
    std::map<std::pair<std::string, std::string>, std::size_t> counts;
    for (const LayerTensor& tensor : CollectLayers(*run)) {
      // In a run of its own a variant may carry tensors of another precision (its scales, or what
      // was left in floating point): they are the run's all the same.
      if (owner != owners.end()) {
        ++counts[{owner->second.model, std::string()}];
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
      if (owner != owners.end()) side.variant = owner->second.variant;
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
