#include "analysis/runs/run_path.h"

#include "cboard/analysis/stages.h"
#include "cboard/analysis/tuning.h"

namespace cboard::analysis {

RunOwners FindRunOwners(const reader::Snapshot& snapshot) {
  RunOwners owners;
  for (const TuningTimeline& timeline : FindTuning(snapshot)) {
    for (const Trial& trial : timeline.trials) {
      owners[trial.run] = {timeline.model, compression::VariantOfTrial(trial.number)};
    }
  }
  for (const StageTimeline& timeline : FindStages(snapshot)) {
    for (const Stage& stage : timeline.stages) {
      owners[stage.run] = {timeline.model, std::string(stage.description.name)};
    }
  }
  return owners;
}

const RunOwner* OwnerOf(const RunOwners& owners, std::string_view run) {
  auto owner = owners.find(run);
  if (owner == owners.end()) owner = owners.find(WithoutDot(run));
  return owner == owners.end() ? nullptr : &owner->second;
}

}  // namespace cboard::analysis
