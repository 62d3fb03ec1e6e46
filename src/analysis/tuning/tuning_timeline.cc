#include <algorithm>
#include <cmath>
#include <tuple>

#include "analysis/runs/run_path.h"
#include "analysis/table/cached_facts.h"
#include "cboard/analysis/tuning.h"

namespace cboard::analysis {
namespace {

struct Experiment {
  std::map<std::string, Trial> trials = {};  // By the trial's run.
  std::string directory = {};                // Name of the directory that contains the trials.
  bool is_tuning = false;
};

// Names of the accuracy of a trial, the most trusted first.
void TakeScalars(const reader::Run& run, Trial& trial) {
  struct Candidate {
    std::string_view tag;
    AccuracySource source;
  };
  for (const Candidate& candidate : {Candidate{"accuracy", AccuracySource::kScalar},
                                     Candidate{"metrics/accuracy", AccuracySource::kScalar},
                                     Candidate{"hparam/accuracy", AccuracySource::kHParams}}) {
    const reader::Tag* tag = run.Find(candidate.tag);
    if (tag == nullptr || tag->kind() != reader::TagKind::kScalar || tag->scalars.empty()) continue;
    if (trial.accuracy && trial.accuracy_source <= candidate.source) continue;
    const reader::ScalarPoint last = tag->scalars.back();
    trial.accuracy = last.value;
    trial.accuracy_source = candidate.source;
    trial.source = {.run = run.name,
                    .tag = tag->name(),
                    .step = last.step,
                    .wall_time_seconds = last.wall_time_seconds};
  }
}

void TakeTime(const reader::Run& run, Trial& trial) {
  if (!std::isfinite(run.first_wall_time_seconds)) return;  // No events.
  const double end = std::max(trial.first_wall_time_seconds + trial.duration_seconds,
                              run.newest_wall_time_seconds);
  const bool first = trial.first_wall_time_seconds == 0;
  trial.first_wall_time_seconds =
      first ? run.first_wall_time_seconds
            : std::min(trial.first_wall_time_seconds, run.first_wall_time_seconds);
  trial.duration_seconds = end - trial.first_wall_time_seconds;
}

void AddRun(const reader::Run& run, const TrialLocation& place, Experiment& experiment) {
  Trial& trial = experiment.trials[place.run];
  trial.run = place.run;
  trial.number = place.name.number;
  if (!place.name.accuracies.empty() && trial.accuracies.empty()) {
    trial.accuracies = place.name.accuracies;
    trial.accuracy = place.name.accuracies.front();
    trial.accuracy_source = AccuracySource::kDirectoryName;
    trial.source = {.run = run.name, .wall_time_seconds = NewestWallTime(run)};
  }
  TakeScalars(run, trial);
  trial.config.merge(ConfigOf(run));
  TakeTime(run, trial);
  experiment.directory = DirectoryOfExperiment(place.experiment, run);
  experiment.is_tuning = experiment.is_tuning || place.name.number > 0 || place.name.has_accuracy;
}

void FillComparisons(TuningTimeline& timeline) {
  std::optional<double> best;
  for (std::size_t i = 0; i < timeline.trials.size(); ++i) {
    Trial& trial = timeline.trials[i];
    if (trial.number == 0 && !timeline.baseline) timeline.baseline = i;
    const bool counts = trial.number != 0 && trial.accuracy && !std::isnan(*trial.accuracy);
    if (counts && (!best || *trial.accuracy > *best)) {
      best = trial.accuracy;
      timeline.best = i;
    }
    trial.best_so_far = best;
    if (i > 0) trial.changes = DiffConfigs(timeline.trials[i - 1].config, trial.config);
  }
  if (timeline.best) timeline.trials[*timeline.best].is_best = true;
  if (!timeline.baseline) return;
  const std::optional<double> reference = timeline.trials[*timeline.baseline].accuracy;
  if (!reference) return;
  for (Trial& trial : timeline.trials) {
    if (!trial.accuracy) continue;
    trial.change = *trial.accuracy - *reference;
    if (*reference != 0) trial.relative_change = *trial.change / std::abs(*reference);
  }
}

TuningTimeline ToTimeline(const std::string& name, Experiment experiment) {
  TuningTimeline timeline{.experiment = name,
                          .model = ModelOfExperiment(name, experiment.directory)};
  for (auto& [run, trial] : experiment.trials) timeline.trials.push_back(std::move(trial));
  std::ranges::sort(timeline.trials, [](const Trial& a, const Trial& b) {
    return std::tie(a.number, a.first_wall_time_seconds, a.run) <
           std::tie(b.number, b.first_wall_time_seconds, b.run);
  });
  FillComparisons(timeline);
  return timeline;
}

}  // namespace

std::vector<ConfigChange> DiffConfigs(const Config& from, const Config& to) {
  std::vector<ConfigChange> changes;
  for (ConfigLine& line : CompareConfigs(from, to)) {
    if (line.differs()) changes.push_back({std::move(line.name), line.a, line.b});
  }
  return changes;
}

std::vector<TuningTimeline> FindTuning(const reader::Snapshot& snapshot) {
  std::map<std::string, Experiment> experiments;
  for (const auto& run : snapshot.runs) {
    const std::optional<TrialLocation>& place = TrialOf(*run);
    if (place) AddRun(*run, *place, experiments[place->experiment]);
  }
  std::vector<TuningTimeline> timelines;
  for (auto& [name, experiment] : experiments) {
    if (experiment.is_tuning) timelines.push_back(ToTimeline(name, std::move(experiment)));
  }
  return timelines;
}

}  // namespace cboard::analysis
