// Logs trials as event files. docs/tuning.md describes their directories and tags:
//
//   runs/eval/baseline_acc_0.776   conv1/weight/fp32   conv1/Output/fp32
//   runs/eval/tune_1_acc_0.095     conv1/weight/int8   conv1/Output/int8
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cboard/benchmark/variant.h"
#include "cboard/compression/tuning_logger.h"
#include "cboard/tune/tune.h"

namespace cboard::tune {

class TrialEvents {
 public:
  // Logs nothing if `logdir` is empty. If `logdir` has trials of another tuning, they are moved to
  // another directory, unless `is_resumed` is true.
  TrialEvents(std::filesystem::path logdir, benchmark::RunOptions run, bool is_resumed);

  // Creates the run of a trial, so that viewers show it during the evaluation. The first trial is
  // the baseline. Replaces a run with this number that an interrupted session has left.
  Result<void> Start(const compression::TrialSettings& settings);

  // Logs graph, weights and outputs of `model`, and its accuracy. Returns the directory of the run.
  Result<std::filesystem::path> Finish(const std::filesystem::path& model,
                                       const TrialResult& result);

  // Skips a trial that an earlier session has finished. Returns its run; empty if there is none.
  // The next trial gets the next number.
  std::filesystem::path Skip(const TrialResult& result);

  // Removes the run of a trial that was stopped.
  void Discard();

 private:
  std::filesystem::path FindLogged(bool has_failed) const;
  Result<void> LogModel(const std::filesystem::path& path);

  std::filesystem::path logdir_;
  benchmark::RunOptions run_;
  bool is_resumed_;
  int next_ = 0;  // Number of the next trial; failed trials are not numbered.
  compression::TuningLogger logger_;
};

// Returns the settings of a trial for the Tuning page: which operators are float, which tensors
// have 16 bits, and why.
compression::TrialSettings SettingsOf(const TrialReport& trial,
                                      const std::vector<Reverted>& reverted);

}  // namespace cboard::tune
