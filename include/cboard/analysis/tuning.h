// Reads the trials of accuracy-driven tuning: their settings, their accuracy, and the best so far.
//
//   runs/eval/baseline_acc_0.776   runs/eval/tune_1_acc_0.095   runs/eval/tune_2
//
// Tuning tools write one directory per trial and add the accuracy to its name once it is known.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/analysis/comparison_table.h"
#include "cboard/analysis/variant_config.h"
#include "cboard/compression/tuning_names.h"
#include "cboard/reader/snapshot.h"

namespace cboard::analysis {

// The part of a run's path that identifies a trial.
struct TrialLocation {
  std::string experiment = {};  // Parent directory: "eval"; "." if there is none.
  std::string run = {};         // Path of the trial's directory: "eval/tune_1_acc_0.095".
  compression::TrialName name = {};
};

// Finds the trial that a run belongs to. `directory` is the last part of the path of the run's
// directory. With --logdir_spec it can differ from the run's name: the run is "tune_1/." and the
// directory is tune_1_acc_0.095.
std::optional<TrialLocation> FindTrial(std::string_view run, std::string_view directory);

// One setting that differs between two trials. If a trial does not have the setting, its value is
// nullopt.
struct ConfigChange {
  std::string name = {};
  std::optional<proto::HParamValue> from = {};
  std::optional<proto::HParamValue> to = {};

  friend bool operator==(const ConfigChange&, const ConfigChange&) = default;
};

std::vector<ConfigChange> DiffConfigs(const Config& from, const Config& to);

enum class AccuracySource { kNone, kDirectoryName, kScalar, kHParams };

struct Trial {
  std::string run = {};  // Path of the trial's directory.
  int number = 0;
  std::optional<double> accuracy = {};
  AccuracySource accuracy_source = AccuracySource::kNone;
  std::vector<double> accuracies = {};  // All accuracies in the directory's name.
  Source source = {};
  // Best accuracy among trials up to this one, without the baseline.
  std::optional<double> best_so_far = {};
  bool is_best = false;
  std::optional<double> change = {};           // accuracy - accuracy of the baseline
  std::optional<double> relative_change = {};  // change / accuracy of the baseline
  double first_wall_time_seconds = 0;          // 0 if there are no events.
  double duration_seconds = 0;
  Config config = {};
  std::vector<ConfigChange> changes = {};  // Changes from the previous trial, by trial number.
};

struct TuningTimeline {
  std::string experiment = {};
  std::string model = {};
  std::vector<Trial> trials = {};  // Sorted by number; trials with the same number by time.
  std::optional<std::size_t> baseline = {};
  std::optional<std::size_t> best = {};
};

// Returns one timeline per directory that contains trials, sorted by name. A single run "baseline"
// without an accuracy in its name is not a trial. Higher accuracy is better. Reads no files.
std::vector<TuningTimeline> FindTuning(const reader::Snapshot& snapshot);

}  // namespace cboard::analysis
