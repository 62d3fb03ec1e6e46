// Logs trials as event files, in the directories and under the tags of docs/tuning.md:
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
  // Logs nothing if `logdir` is empty. Trials of another tuning in `logdir` are moved aside, unless
  // `is_resumed`.
  TrialEvents(std::filesystem::path logdir, benchmark::RunOptions run, bool is_resumed);

  // Starts the run of a trial, so that viewers see it while it is evaluated; the first is the
  // baseline. A run of this number that an interrupted session left is removed.
  Result<void> Start(const compression::TrialSettings& settings);

  // Logs graph, weights and outputs of `model` and its accuracy. Returns the run's directory.
  Result<std::filesystem::path> Finish(const std::filesystem::path& model,
                                       const TrialResult& result);

  // The run of a trial that an earlier session has finished; empty if it is not there. The next
  // trial then has the next number.
  std::filesystem::path Skip(const TrialResult& result);

  // Removes the run of a trial that was stopped.
  void Discard();

 private:
  std::filesystem::path FindLogged(bool has_failed) const;
  Result<void> LogModel(const std::filesystem::path& path);

  std::filesystem::path logdir_;
  benchmark::RunOptions run_;
  bool is_resumed_;
  int next_ = 0;  // The number of the next trial; failed trials have none.
  compression::TuningLogger logger_;
};

// The settings of a trial, for the Tuning page: what stays float or has 16 bits, and why.
compression::TrialSettings SettingsOf(const TrialReport& trial,
                                      const std::vector<Reverted>& reverted);

}  // namespace cboard::tune
