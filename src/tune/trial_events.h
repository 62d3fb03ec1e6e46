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
  // `is_resumed`: then trials that are there are not logged again, and a trial that was interrupted
  // is removed.
  TrialEvents(std::filesystem::path logdir, benchmark::RunOptions run, bool is_resumed);

  // Logs graph, weights and outputs of `model`, its settings and its accuracy. The first is the
  // baseline. `replaces` removes a run of the same number. Returns the run's directory.
  Result<std::filesystem::path> Log(const std::filesystem::path& model, const TrialResult& result,
                                    const compression::TrialSettings& settings,
                                    bool replaces = false);

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
