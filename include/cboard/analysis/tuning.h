// Accuracy-driven tuning, trial by trial: what each tried, what it gave, which was best so far.
//
//   runs/eval/baseline_acc_0.776   runs/eval/tune_1_acc_0.095   runs/eval/tune_2
//
// Tuning tools write a directory per trial and put the accuracy into its name once they know it.
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

// Where in the path of a run a trial is named.
struct TrialLocation {
  std::string experiment = {};  // Parent directory: "eval"; "." if there is none.
  std::string run = {};         // Down to the trial itself: "eval/tune_1_acc_0.095".
  compression::TrialName name = {};
};

// `directory` is the last part of the run's directory: under --logdir_spec a run is called
// "tune_1/." while the directory still says tune_1_acc_0.095.
std::optional<TrialLocation> FindTrial(std::string_view run, std::string_view directory);

// One setting that differs; a side that lacks it has none.
struct ConfigChange {
  std::string name = {};
  std::optional<proto::HParamValue> from = {};
  std::optional<proto::HParamValue> to = {};

  friend bool operator==(const ConfigChange&, const ConfigChange&) = default;
};

std::vector<ConfigChange> DiffConfigs(const Config& from, const Config& to);

enum class AccuracySource { kNone, kDirectoryName, kScalar, kHParams };

struct Trial {
  std::string run = {};  // Down to the trial's directory.
  int number = 0;
  std::optional<double> accuracy = {};
  AccuracySource accuracy_source = AccuracySource::kNone;
  std::vector<double> accuracies = {};  // All that the directory's name lists.
  Source source = {};
  std::optional<double> best_so_far = {};  // Among trials up to this one, the baseline left out.
  bool is_best = false;
  std::optional<double> change = {};           // accuracy - the baseline's
  std::optional<double> relative_change = {};  // change / the baseline's
  double first_wall_time_seconds = 0;          // 0 without events.
  double duration_seconds = 0;
  Config config = {};
  std::vector<ConfigChange> changes = {};  // From the trial before, in order of number.
};

struct TuningTimeline {
  std::string experiment = {};
  std::string model = {};
  std::vector<Trial> trials = {};  // By number; a number that was used twice, by time.
  std::optional<std::size_t> baseline = {};
  std::optional<std::size_t> best = {};
};

// One timeline per directory that holds trials, by name. A lone "baseline" without an accuracy is
// somebody's run of that name, not a trial. Higher accuracy is better. Reads no files.
std::vector<TuningTimeline> FindTuning(const reader::Snapshot& snapshot);

}  // namespace cboard::analysis
