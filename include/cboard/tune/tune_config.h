// Reads settings of a tuning from a YAML file in the format of neural-compressor and its
// predecessors:
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
  std::vector<std::string> ignored;  // Paths of the keys that `tune` does not know.
};

// Applies the file to `options`. Fails like ReadTuningConfig, and with kInvalidArgument for a value
// of the wrong type.
Result<AppliedConfig> ApplyConfig(const std::filesystem::path& file, TuneOptions& options);

}  // namespace cboard::tune
