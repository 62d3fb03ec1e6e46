// Settings of a tuning from the YAML file of neural-compressor and its predecessors:
//
//   quantization:
//     op_wise: {'conv1': {'activation': {'dtype': ['fp32']}}}
//   tuning:
//     accuracy_criterion: {relative: 0.01}
//     exit_policy: {timeout: 600, max_trials: 5}
//     tensorboard: true
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/tune/tune.h"

namespace cboard::tune {

struct AppliedConfig {
  bool logs = false;                 // `tensorboard: true`.
  std::vector<std::string> ignored;  // Keys that tune does not know, by their path in the file.
};

// Changes `options` by the file. Fails as ReadTuningConfig does, and with kInvalidArgument for a
// value that is not what the key expects.
Result<AppliedConfig> ApplyConfig(const std::filesystem::path& file, TuneOptions& options);

}  // namespace cboard::tune
